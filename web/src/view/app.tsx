import { useEffect } from "preact/hooks";
import type { Fields } from "../api/types";
import { useQuestion } from "../state/question";
import { params, place, refresh, set } from "../state/store";
import { BreakdownPanel } from "./breakdown";
import { HeadlineStrip } from "./headline";
import { HedgePage } from "./hedge";
import { Percentiles } from "./percentiles";
import { QualityPage } from "./quality";
import { RequestsPanel } from "./requests";
import { Shell } from "./shell";
import { Drawer } from "./timeline";

const none = new URLSearchParams();

/** App is the page that the address bar names. */
export function App() {
  const fields = useQuestion<Fields>("fields", none).data;
  const open = params.value.get("open");
  useKeys();
  return (
    <Shell>
      <Page fields={fields} />
      {open && <Drawer key={open} id={open} />}
    </Shell>
  );
}

function Page(p: { fields: Fields | null }) {
  switch (place.value.page) {
    case "/hedge": return <HedgePage />;
    case "/requests": return <RequestsPanel fields={p.fields} limit={50} />;
    case "/quality": return <QualityPage />;
    default: return (
      <>
        <HeadlineStrip />
        <Percentiles fields={p.fields} />
        <BreakdownPanel fields={p.fields} />
        <RequestsPanel fields={p.fields} limit={10} />
      </>
    );
  }
}

function useKeys(): void {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const typing = (e.target as HTMLElement).closest("input, select, textarea");
      if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === "r") refresh();
      if (e.key === "Escape" && params.value.has("open")) set({ open: null });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
