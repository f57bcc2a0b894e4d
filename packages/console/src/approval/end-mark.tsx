import { useContext, useEffect, useRef } from "react";
import { SeenContext } from "./seen.ts";

/**
 * Marks the end of a text that must be seen before an approval. It counts as seen when it was on the screen, so the end
 * of a folded text is hidden.
 */
export function EndMark({ isHidden = false }: { readonly isHidden?: boolean }) {
  const end = useRef<HTMLSpanElement>(null);
  const follow = useContext(SeenContext)?.follow;
  useEffect(() => (end.current && follow ? follow(end.current) : undefined), [follow]);
  return <span ref={end} hidden={isHidden} className={isHidden ? undefined : "block h-px"} />;
}
