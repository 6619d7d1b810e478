package chaos

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// diesJoining has a member's connection break while it waits for the others to
// join: it gets partitions that it never heard of.
func diesJoining(l *lab) {
	l.startMembers(2)
	l.share(3)
	l.producer.run(l.rng, l.partitions, 200)
	l.untilStored(100)
	conn, err := net.DialTimeout("tcp", l.broker.Addr(), 5*time.Second)
	if err != nil {
		l.t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		l.t.Fatal(err)
	}
	id, err := l.askToJoin(conn)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := conn.Write(joinRequest(l.topic, id)); err != nil {
		l.t.Fatal(err)
	}
	l.untilGroup("PreparingRebalance", 0)
	conn.Close()
	l.untilGroup("Stable", 3)
}

// untilGroup waits for a state of the group, and where members is above 0 for
// as many of them.
func (l *lab) untilGroup(state string, members int) {
	l.t.Helper()
	l.eventually("group "+state, time.Minute, func(ctx context.Context) error {
		groups, err := l.admin.DescribeGroups(ctx, l.topic)
		if err != nil {
			return err
		}
		if g := groups[l.topic]; g.State != state || members > 0 && len(g.Members) != members {
			return fmt.Errorf("it is %s with %d members", g.State, len(g.Members))
		}
		return nil
	})
}

// askToJoin returns the member id that the broker gives to who joins first.
func (l *lab) askToJoin(conn net.Conn) (string, error) {
	if _, err := conn.Write(joinRequest(l.topic, "")); err != nil {
		return "", err
	}
	head := make([]byte, 8) // length and correlation
	if _, err := io.ReadFull(conn, head); err != nil {
		return "", err
	}
	body := make([]byte, binary.BigEndian.Uint32(head)-4)
	if _, err := io.ReadFull(conn, body); err != nil {
		return "", err
	}
	answer := kmsg.JoinGroupResponse{Version: joinVersion}
	if err := answer.ReadFrom(body); err != nil {
		return "", err
	}
	if err := kerr.ErrorForCode(answer.ErrorCode); !errors.Is(err, kerr.MemberIDRequired) || answer.MemberID == "" {
		return "", fmt.Errorf("joining: %w, member %q; want to be asked for it", err, answer.MemberID)
	}
	return answer.MemberID, nil
}

const joinVersion = 4 // the first that asks for a member id

// joinRequest is what an ingester sends.
func joinRequest(group, member string) []byte {
	topics := kmsg.NewConsumerMemberMetadata()
	topics.Version, topics.Topics = 0, []string{group}
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name, protocol.Metadata = "range", topics.AppendTo(nil)
	req := kmsg.NewPtrJoinGroupRequest()
	req.Version, req.Group, req.MemberID, req.ProtocolType = joinVersion, group, member, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = int32(session.Milliseconds()), int32(session.Milliseconds())
	req.Protocols = append(req.Protocols, protocol)
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID("dies")).AppendRequest(nil, req, 1)
}
