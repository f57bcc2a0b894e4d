import { Dialog } from "@base-ui/react/dialog";
import type { SheetProps } from "./sheet.tsx";

/** The dialog of a sheet, with the library that it needs. */
export function SheetDialog({ title, isOpen, onClose, children }: SheetProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-overlay" />
        <Dialog.Popup className="fixed inset-x-0 bottom-0 z-30 max-h-[92dvh] overflow-auto rounded-t-sheet bg-surface p-4 pb-[max(16px,env(safe-area-inset-bottom))] shadow-2xl md:inset-x-auto md:top-1/2 md:bottom-auto md:left-1/2 md:w-120 md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-sheet md:p-6">
          <Dialog.Title className="text-xl font-semibold">{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
