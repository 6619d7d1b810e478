import { layer } from "../state/store";
import { Overlay } from "./overlay";

const keys: [string, string][] = [
  ["/ or Ctrl+K", "search: filters, pages, request ids"], ["j k", "down and up in lists; with a request open, the next one"], ["Enter", "open or choose the focused row"],
  ["Esc", "close what is open"], ["r", "ask again"], ["-", "zoom out: twice the window"], ["← → PageUp PageDown", "move the focused hedge delay"], ["?", "this help"],
];

/** Help lists the keys and how to read the page. */
export function Help() {
  return (
    <Overlay title="Help">
      <div class="head"><h2>Help</h2><button aria-label="Close" onClick={() => { layer.value = ""; }}>✕</button></div>
      <table><tbody>{keys.map(([k, what]) => <tr key={k}><th scope="row">{k.split(" ").map((part) => (part === "or" ? " or " : <kbd key={part}>{part}</kbd>))}</th><td>{what}</td></tr>)}</tbody></table>
      <h3>Reading the page</h3>
      <ul>
        <li>Every number stands with its n. “–” is no data, never zero; grey is below the percentile's minimum n.</li>
        <li>A title names the clock: t0 request received, t1 dispatch, t2 headers, t3 first event, t4 first effective output, t5 first visible text, t6 upstream done, t7 handler done.</li>
        <li>Censored rows ended before the end point; they count as “at least”, by Kaplan–Meier.</li>
        <li>The address holds the whole question: send it. “Copy link” pins the window.</li>
        <li>curl, SQL, CSV and PNG take a panel along. <a href="/docs">The API's documentation</a> has the same names.</li>
      </ul>
    </Overlay>
  );
}
