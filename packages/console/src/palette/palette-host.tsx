import { Search } from "lucide-react";
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { useKeys } from "../shell/use-keys.ts";
import { Sheet } from "../ui/sheet.tsx";

/** The palette finds something, drafts a call, or drafts a plan from words. */
export type PaletteMode = "find" | "command" | "ask";

const Palette = lazy(() => import("./palette.tsx").catch(() => ({ default: NotLoaded })));

function NotLoaded({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title="This part of the console did not load" isOpen onClose={onClose}>
      <p className="mt-1 mb-4 text-muted">Check your connection, and reload the page.</p>
      <button type="button" className="btn btn-primary w-full" onClick={() => location.reload()}>
        Reload
      </button>
    </Sheet>
  );
}

const OpenPaletteContext = createContext<(mode: PaletteMode) => void>(() => {});

/** Returns the function that opens the palette. */
export function useOpenPalette(): (mode: PaletteMode) => void {
  return useContext(OpenPaletteContext);
}

/** Opens the palette with Ctrl K, and its prompt with /. The palette itself loads when it is first opened. */
export function PaletteHost({ children }: { readonly children: ReactNode }) {
  const [mode, setMode] = useState<PaletteMode>();
  // The prompt opens as it was last used.
  const prompt = useRef<PaletteMode>("ask");
  const open = (next: PaletteMode) => {
    if (next !== "find") prompt.current = next;
    setMode(next);
  };
  useKeys({ "/": () => setMode(prompt.current) });
  const isOpen = mode !== undefined;
  const typed = useKeysWhileLoading(isOpen);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isCombination = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isCombination || event.key.toLowerCase() !== "k") return;
      const dialog = document.querySelector("[role=dialog]:not([data-palette])");
      if (dialog) return;
      event.preventDefault();
      setMode((old) => (old === undefined ? "find" : undefined));
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return (
    <OpenPaletteContext value={open}>
      {children}
      {isOpen && (
        <Suspense>
          <Palette mode={mode} takeTyped={typed} onMode={open} onClose={() => setMode(undefined)} />
        </Suspense>
      )}
    </OpenPaletteContext>
  );
}

/** Keeps what a person types between opening the palette and its field, so that no key is lost or acts on the screen behind. */
function useKeysWhileLoading(isOpen: boolean): () => string {
  const typed = useRef("");
  useEffect(() => {
    if (!isOpen) return;
    typed.current = "";
    const keep = (event: KeyboardEvent) => {
      const isLoaded = document.querySelector("[role=dialog]") !== null;
      if (isLoaded || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.length === 1) typed.current += event.key;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("keydown", keep, true);
    return () => removeEventListener("keydown", keep, true);
  }, [isOpen]);
  return () => {
    const text = typed.current;
    typed.current = "";
    return text;
  };
}

/** The button of the sidebar that opens the palette. */
export function FindButton() {
  const open = useOpenPalette();
  return (
    <button
      type="button"
      title="Go to… (Ctrl K)"
      aria-haspopup="dialog"
      onClick={() => open("find")}
      className="mb-2 flex h-9 flex-none items-center gap-2.5 rounded-control border border-edge bg-surface px-2 text-muted hover:text-text max-lg:justify-center"
    >
      <Search size={16} aria-hidden="true" className="flex-none" />
      <span className="max-lg:sr-only">Go to</span>
      <kbd className="ml-auto hidden rounded border border-line bg-sunken px-1.5 text-xs lg:inline">
        Ctrl K
      </kbd>
    </button>
  );
}
