import { useNavigate } from "@tanstack/react-router";
import { Keyboard } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Sheet } from "../ui/sheet.tsx";

const help = [
  ["J, K", "Select the next or the previous request"],
  ["Enter", "Read the selected request"],
  ["A", "Go to the approve button. It decides nothing by itself."],
  ["D", "Go to the deny button. It decides nothing by itself."],
  ["R", "Return with instructions"],
  ["M", "Add a comment"],
  ["E", "Edit the request"],
  ["G then I", "Open the inbox"],
  ["G then C", "Open the calls"],
  ["?", "Show this list"],
] as const;

/** Calls the handler of a pressed key, unless the person types into a field, uses a dialog or holds a modifier. */
export function useKeys(handlers: Readonly<Record<string, () => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
    if (target instanceof HTMLElement && target.closest("input, textarea, select, [role=dialog]")) return;
    // Enter belongs to the focused control.
    if (key === "Enter" && target instanceof HTMLElement && target.closest("a, button, summary")) return;
    const handler = handlers[key.toLowerCase()];
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

/** The keys that work on every screen, and the list of all keys. */
export function KeyboardHelp() {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const goesAt = useRef(0);
  const goIf = (to: "/inbox" | "/calls") => {
    if (performance.now() - goesAt.current < 1_500) void navigate({ to });
  };
  useKeys({
    "?": () => setOpen(true),
    g: () => {
      goesAt.current = performance.now();
    },
    i: () => goIf("/inbox"),
    c: () => goIf("/calls"),
  });
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="hidden h-9 items-center gap-2.5 rounded-control px-2 text-xs font-medium text-muted hover:text-text md:flex"
      >
        <Keyboard size={18} aria-hidden="true" className="flex-none" />
        <span className="sr-only lg:not-sr-only">Keyboard</span>
        <kbd className="ml-auto hidden rounded border border-line bg-sunken px-1.5 text-xs lg:inline">?</kbd>
      </button>
      <Sheet title="Keyboard" isOpen={isOpen} onClose={() => setOpen(false)}>
        <dl className="my-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          {help.map(([keys, text]) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded border border-line bg-sunken px-1.5 text-xs font-medium whitespace-nowrap">
                  {keys}
                </kbd>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <button type="button" className="btn w-full" onClick={() => setOpen(false)}>
          Close
        </button>
      </Sheet>
    </>
  );
}
