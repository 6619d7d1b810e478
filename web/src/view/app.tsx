import { useEffect } from "preact/hooks";
import type { Fields } from "../api/types";
import { useQuestion } from "../state/question";
import { crossing } from "../state/place";
import { href, layer, notice, params, place } from "../state/store";
import { BreakdownPanel } from "./breakdown";
import { HeadlineStrip } from "./headline";
import { HedgePage } from "./hedge";
import { Help } from "./help";
import { useKeys } from "./keys";
import { Percentiles } from "./percentiles";
import { QualityPage } from "./quality";
import { RequestsPanel } from "./requests";
import { Search } from "./search";
import { follow, Shell } from "./shell";
import { Drawer } from "./timeline";
import { ValueMenu } from "./value";

const none = new URLSearchParams();

/** App is the page that the address bar names. */
export function App() {
  const fields = useQuestion<Fields>("fields", none).data;
  useEffect(() => { notice.value = fields?.notice ?? null; }, [fields]);
  const open = params.value.get("open");
  useKeys();
  return (
    <Shell>
      <Page fields={fields} />
      {open && <Drawer id={open} />}
      {layer.value === "help" && <Help />}
      {layer.value === "search" && <Search fields={fields} />}
      <ValueMenu />
    </Shell>
  );
}

function Page(p: { fields: Fields | null }) {
  switch (place.value.page) {
    case "/hedge": return <HedgePage fields={p.fields} />;
    case "/requests": return <RequestsPanel fields={p.fields} limit={50} />;
    case "/quality": return <QualityPage />;
    case "/": return (
      <>
        <HeadlineStrip />
        <Percentiles fields={p.fields} />
        <BreakdownPanel fields={p.fields} />
        <RequestsPanel fields={p.fields} limit={10} />
      </>
    );
    default: return (
      <section class="card" aria-label="No such page">
        <div class="empty"><p class="lead">There is no page <span class="mono">{place.value.page}</span>.</p>
          <p><a href={href("/", crossing(place.value.page, "/"))} onClick={follow}>To the overview</a>, with the range and the filters of this address. Or press <kbd>/</kbd> to search pages and request ids.</p></div>
      </section>
    );
  }
}
