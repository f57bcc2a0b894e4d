import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef, useState } from "react";
import { Ask } from "../request/ask.tsx";
import { Command } from "./command.tsx";
import { Find } from "./find.tsx";
import type { PaletteMode } from "./palette-host.tsx";

const modes = [
  ["find", "Find"],
  ["command", "Command"],
  ["ask", "Ask"],
] as const satisfies readonly (readonly [PaletteMode, string])[];

/** Finds and opens things, and drafts requests. It never decides, and requests nothing that was not previewed. */
export default function Palette({
  mode,
  takeTyped,
  onMode,
  onClose,
}: {
  readonly mode: PaletteMode;
  /** Returns once what the person has typed while the palette was loading. */
  readonly takeTyped: () => string;
  readonly onMode: (mode: PaletteMode) => void;
  readonly onClose: () => void;
}) {
  const [isOpen, setOpen] = useState(true);
  const popup = useRef<HTMLDivElement>(null);
  // Runs after the palette has closed and has returned the focus.
  const next = useRef<() => void>(undefined);
  const close = (then?: () => void) => {
    next.current = then;
    setOpen(false);
  };
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={setOpen}
      onOpenChangeComplete={(open) => {
        if (open) return;
        onClose();
        next.current?.();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-overlay" />
        <Dialog.Popup
          ref={popup}
          data-palette=""
          initialFocus={() => popup.current?.querySelector<HTMLElement>("input, textarea") ?? true}
          finalFocus={() => next.current === undefined}
          className={`fixed inset-0 z-30 flex flex-col bg-surface shadow-2xl md:inset-x-0 md:top-[8dvh] md:bottom-auto md:mx-auto md:max-h-[84dvh] md:max-w-[calc(100vw-3rem)] md:rounded-sheet ${mode === "find" ? "md:w-176" : "md:w-256"}`}
        >
          <Dialog.Title className="sr-only">Find, command or ask</Dialog.Title>
          <div className="flex flex-none items-center gap-1 border-b border-line px-3 py-2">
            {modes.map(([value, name]) => (
              <button
                key={value}
                type="button"
                aria-pressed={value === mode}
                onClick={() => onMode(value)}
                className={`rounded-control px-3 py-1 font-medium max-md:min-h-11 ${value === mode ? "bg-ink-soft text-ink" : "text-muted hover:text-text"}`}
              >
                {name}
              </button>
            ))}
            <Dialog.Close className="btn btn-ghost ml-auto">
              <span className="sr-only">Close</span>
              <kbd className="rounded border border-line bg-sunken px-1.5 text-xs max-md:hidden">Esc</kbd>
              <X size={18} aria-hidden="true" className="md:hidden" />
            </Dialog.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-3 md:p-4">
            {mode === "find" ? (
              <Find takeTyped={takeTyped} onClose={close} onDraft={() => onMode("ask")} />
            ) : mode === "command" ? (
              <Command takeTyped={takeTyped} onRequested={close} />
            ) : (
              <Ask takeTyped={takeTyped} onRequested={close} />
            )}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
