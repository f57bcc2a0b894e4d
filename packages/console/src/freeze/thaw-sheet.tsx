import { ActSheet } from "../acts/act-sheet.tsx";

/** Requests a thaw. The preview says whose calls would continue. */
export function ThawSheet({ freeze, onClose }: { readonly freeze: string; readonly onClose: () => void }) {
  return (
    <ActSheet
      act={{ title: "Thaw", capability: "admin.thaw", button: "Thaw" }}
      input={{ freeze }}
      onClose={onClose}
    />
  );
}
