import { CirclePause } from "lucide-react";
import { lazy, Suspense, useState } from "react";

const FreezeSheet = lazy(async () => ({ default: (await import("./freeze-sheet.tsx")).FreezeSheet }));

/** The kill switch, which loads when it is opened. */
export function LazyFreezeSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Suspense>
      <FreezeSheet onClose={onClose} />
    </Suspense>
  );
}

/** Opens the kill switch. */
export function FreezeButton({ className }: { readonly className: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        title="Freeze actions"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={className}
      >
        <CirclePause size={18} aria-hidden="true" className="flex-none text-critical" />
        <span className="max-lg:sr-only">Freeze actions</span>
      </button>
      {isOpen && <LazyFreezeSheet onClose={() => setOpen(false)} />}
    </>
  );
}
