import { useEffect, useEffectEvent } from "react";

/**
 * Calls the handler of a pressed key, unless the person types into a field, uses a dialog or holds a modifier. A name
 * such as `g i` means two keys, one after the other.
 */
export function useKeys(handlers: Readonly<Record<string, () => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
    if (target instanceof HTMLElement && target.closest("input, textarea, select, [role=dialog]")) return;
    // Enter belongs to the focused control.
    if (key === "Enter" && target instanceof HTMLElement && target.closest("a, button, summary")) return;
    const handler = handlers[readSequence(event)];
    if (!handler) return;
    event.preventDefault();
    handler();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);
}

const sequenceMs = 1_500;
let last: { readonly event: KeyboardEvent; readonly sequence: string } | undefined;

/** Returns the name of a pressed key, with a G that was pressed shortly before. All listeners get the same name. */
function readSequence(event: KeyboardEvent): string {
  if (last?.event === event) return last.sequence;
  const key = event.key.toLowerCase();
  const isSecond = last?.sequence === "g" && event.timeStamp - last.event.timeStamp < sequenceMs;
  last = { event, sequence: isSecond ? `g ${key}` : key };
  return last.sequence;
}
