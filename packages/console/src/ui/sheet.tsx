import { lazy, type ReactNode, Suspense, useState } from "react";

export interface SheetProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const load = () => import("./sheet-dialog.tsx");
const SheetDialog = lazy(async () => ({ default: (await load()).SheetDialog }));

/** Loads the code of sheets, so that the first one opens at once. */
export function preloadSheets(): void {
  load().catch(() => {});
}

/** A dialog: a sheet at the bottom of a phone, a panel in the middle of a larger screen. Its code loads with the first. */
export function Sheet(props: SheetProps) {
  const [wasOpen, setWasOpen] = useState(props.isOpen);
  // An update during the render: React repeats the render at once, before anything is visible.
  if (props.isOpen && !wasOpen) setWasOpen(true);
  return (
    wasOpen && (
      <Suspense fallback={null}>
        <SheetDialog {...props} />
      </Suspense>
    )
  );
}
