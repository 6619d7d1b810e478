import type { Figure } from "../api/types";

/** Card is one metric of the strip with its quantiles in order. */
export interface Card { metric: string; title: string; unit: string; start: string; end: string; n: number; figures: Figure[] }

/** cards puts the figures of one metric together, in the order in which they came. */
export function cards(figures: Figure[]): Card[] {
  const out: Card[] = [];
  for (const f of figures) {
    let card = out.find((c) => c.metric === f.metric);
    if (!card) {
      card = { metric: f.metric, title: f.title, unit: f.unit, start: f.start, end: f.end, n: f.now_n, figures: [] };
      out.push(card);
    }
    card.figures.push(f);
  }
  return out;
}
