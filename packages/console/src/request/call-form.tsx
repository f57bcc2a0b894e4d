import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { contractQuery } from "../api/queries.ts";
import type { Contract } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { Draft } from "./draft.tsx";
import { InputFields } from "./input-fields.tsx";
import { useInputForm } from "./use-input-form.ts";

/** A form for one call of a capability: its fields, the preview, and the request. */
export function CallForm({
  capability,
  isFocused = false,
  onRequested,
}: {
  readonly capability: string;
  /** Whether the first field gets the focus. */
  readonly isFocused?: boolean;
  readonly onRequested?: () => void;
}) {
  const { data, isPending, error, refetch } = useQuery(contractQuery(capability));
  if (isPending) return <Skeleton rows={3} />;
  if (!data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <ContractForm key={data.contractDigest} contract={data} isFocused={isFocused} onRequested={onRequested} />
  );
}

function ContractForm({
  contract,
  isFocused,
  onRequested,
}: {
  readonly contract: Contract;
  readonly isFocused: boolean;
  readonly onRequested: (() => void) | undefined;
}) {
  const form = useInputForm(contract.input);
  const [showFaults, setShowFaults] = useState(false);
  const id = useId();
  const { input } = form;
  useEffect(() => {
    const first = "textarea, input, select, button";
    if (isFocused) document.getElementById(id)?.querySelector<HTMLElement>(first)?.focus();
  }, [isFocused, id]);
  const focusFault = () => {
    setShowFaults(true);
    const field = document.getElementById(id)?.querySelector<HTMLElement>("[aria-invalid=true]");
    // An empty required field becomes a fault only now.
    (field ?? document.getElementById(id)?.querySelector<HTMLElement>("[aria-required=true]"))?.focus();
  };
  return (
    <div id={id} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {contract.performer === "agent" && (
        <Notice tone="plain" icon={TriangleAlert}>
          The requester performs this call itself. Paraph rules on it and records what the requester reports.
        </Notice>
      )}
      <InputFields form={form} showFaults={showFaults} />
      {showFaults && form.faults.size > 0 && (
        <p role="alert" className="text-critical">
          Correct <Foreign text={[...form.faults.keys()].join(", ")} /> first.
        </p>
      )}
      <Draft
        request={input && { kind: "call", capability: contract.name, input }}
        onFaults={focusFault}
        {...(onRequested && { onRequested })}
      />
    </div>
  );
}
