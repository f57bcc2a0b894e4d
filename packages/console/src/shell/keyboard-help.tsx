import { useNavigate } from "@tanstack/react-router";
import { Keyboard } from "lucide-react";
import { createContext, type ReactNode, useContext, useState } from "react";
import { Sheet } from "../ui/sheet.tsx";
import { screens } from "./screens.ts";
import { useKeys } from "./use-keys.ts";

const help: readonly (readonly [keys: string, text: string])[] = [
  ["Ctrl K", "Find a screen, a request, a call or a capability"],
  ["/", "Draft a call, by its fields or in words"],
  ["J, K", "Select the next or the previous request"],
  ["Enter", "Read the selected request"],
  ["A", "Go to the approve button. It decides nothing by itself."],
  ["D", "Go to the deny button. It decides nothing by itself."],
  ["R", "Return with instructions"],
  ["M", "Add a comment"],
  ["E", "Edit the request"],
  ...screens.map(({ key, name }) => [`G then ${key.toUpperCase()}`, `Open ${name}`] as const),
  ["?", "Show this list"],
];

const OpenHelpContext = createContext<() => void>(() => {});

/** Handles the keys that work on every screen, and shows the list of all keys. */
export function KeyboardHelp({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  useKeys({
    "?": () => setOpen(true),
    ...Object.fromEntries(screens.map(({ key, path }) => [`g ${key}`, () => void navigate({ to: path })])),
  });
  return (
    <OpenHelpContext value={() => setOpen(true)}>
      {children}
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
    </OpenHelpContext>
  );
}

export function KeyboardButton() {
  return (
    <button
      type="button"
      onClick={useContext(OpenHelpContext)}
      className="flex h-9 items-center gap-2.5 rounded-control px-2 text-xs font-medium text-muted hover:text-text max-lg:justify-center"
    >
      <Keyboard size={18} aria-hidden="true" className="flex-none" />
      <span className="max-lg:sr-only">Keyboard</span>
      <kbd className="ml-auto hidden rounded border border-line bg-sunken px-1.5 text-xs lg:inline">?</kbd>
    </button>
  );
}
