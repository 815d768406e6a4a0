import { useEffect, useRef, useState, type RefObject } from "react";

const COARSE_PX = 100;

/**
 * Returns the width of an element in steps of 100 pixels, so that a query that depends on it does not run again for
 * every pixel.
 */
export function useCoarseWidth<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [widthPx, setWidthPx] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidthPx(Math.max(1, Math.round(entry.contentRect.width / COARSE_PX)) * COARSE_PX);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, widthPx];
}
