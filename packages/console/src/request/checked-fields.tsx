import { type ReactNode, useEffect, useId, useState } from "react";
import { Foreign } from "../lib/foreign.tsx";
import { InputFields } from "./input-fields.tsx";
import type { InputForm } from "./use-input-form.ts";

/** The fields of an input, and what a person can do with it below them. `focusFault` shows the faults. */
export function CheckedFields({
  form,
  isFocused = false,
  children,
}: {
  readonly form: InputForm;
  /** Whether the first field that must be filled in gets the focus. */
  readonly isFocused?: boolean;
  readonly children: (focusFault: () => void) => ReactNode;
}) {
  const [showFaults, setShowFaults] = useState(false);
  const id = useId();
  useEffect(() => {
    const found = document
      .getElementById(id)
      ?.querySelectorAll<HTMLInputElement>("textarea, input, select, button");
    const fields = isFocused && found ? [...found] : [];
    const missing = fields.find(({ ariaRequired, value }) => ariaRequired === "true" && value === "");
    (missing ?? fields[0])?.focus();
  }, [isFocused, id]);
  const focusFault = () => {
    setShowFaults(true);
    const field = document.getElementById(id)?.querySelector<HTMLElement>("[aria-invalid=true]");
    // An empty required field becomes a fault only now.
    (field ?? document.getElementById(id)?.querySelector<HTMLElement>("[aria-required=true]"))?.focus();
  };
  return (
    <div id={id} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <InputFields form={form} showFaults={showFaults} />
      {showFaults && form.faults.size > 0 && (
        <p role="alert" className="text-critical">
          Correct <Foreign text={[...form.faults.keys()].join(", ")} /> first.
        </p>
      )}
      {children(focusFault)}
    </div>
  );
}
