import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { theme } from "../state/store";

/**
 * useCanvasHost redraws into a host element whenever its width, the theme or
 * the drawing's inputs change. draw returns how to clean up.
 */
export function useCanvasHost(draw: (host: HTMLElement, width: number) => () => void, inputs: unknown[]) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [dark, setDark] = useState(matchMedia("(prefers-color-scheme: dark)").matches);
  useLayoutEffect(() => {
    const watch = new ResizeObserver((entries) => setWidth(Math.floor(entries[0]!.contentRect.width)));
    watch.observe(host.current!);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const flip = () => setDark(scheme.matches);
    scheme.addEventListener("change", flip);
    return () => { watch.disconnect(); scheme.removeEventListener("change", flip); };
  }, []);
  useLayoutEffect(() => {
    if (width === 0) return undefined;
    return draw(host.current!, width);
  }, [width, theme.value, dark, ...inputs]);
  return host;
}
