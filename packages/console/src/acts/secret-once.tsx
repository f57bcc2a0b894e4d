import { KeyRound } from "lucide-react";
import { CopyField } from "../ui/copy-field.tsx";
import { Notice } from "../ui/states.tsx";
import type { Secret } from "./act-sheet.tsx";

/** Shows a secret once, with a button that copies it. */
export function SecretOnce({ secret: { name, text, advice } }: { readonly secret: Secret }) {
  return (
    <div className="grid gap-2">
      <Notice tone="high" icon={KeyRound}>
        <strong className="font-semibold">Save this {name} now.</strong> It is shown only here, and only once.{" "}
        {advice}
      </Notice>
      <CopyField label={`The ${name}`} text={text} />
    </div>
  );
}
