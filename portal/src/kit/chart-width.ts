import { useEffect, useRef, useState, type RefObject } from "react";

const COARSE_PX = 100;

/** Width of an element in steps of a hundred pixels, so that a query by width does not run again with every pixel. */
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
