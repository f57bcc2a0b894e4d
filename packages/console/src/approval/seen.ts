import { createContext, type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** The state of reading: an approval waits until each change was on the screen to its end. */
export interface SeenChanges {
  readonly hasSeenAll: boolean;
  /** Follows the end of a change. Returns the function that stops following it. */
  readonly follow: (end: Element) => () => void;
}

/** The place to which changes report their ends. It is missing where nothing must be seen. */
export const SeenContext = createContext<SeenChanges | undefined>(undefined);

/** Watches the ends of changes in the scrolled area. A change that is folded has no end until it is unfolded. */
export function useSeenChanges(scroller: RefObject<Element | null>): SeenChanges {
  const [unseen, setUnseen] = useState(0);
  const waiting = useRef(new Set<Element>());
  const observer = useRef<IntersectionObserver>(undefined);
  const update = useCallback(() => setUnseen(waiting.current.size), []);
  useEffect(() => {
    const seen = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          waiting.current.delete(target);
          observer.current?.unobserve(target);
        }
        update();
      },
      { root: scroller.current },
    );
    observer.current = seen;
    for (const end of waiting.current) seen.observe(end);
    return () => seen.disconnect();
  }, [scroller, update]);
  const follow = useCallback(
    (end: Element) => {
      waiting.current.add(end);
      observer.current?.observe(end);
      update();
      return () => {
        waiting.current.delete(end);
        observer.current?.unobserve(end);
        update();
      };
    },
    [update],
  );
  return { hasSeenAll: unseen === 0, follow };
}
