import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { contractQuery } from "../api/queries.ts";
import type { Contract } from "../api/types.ts";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { CheckedFields } from "./checked-fields.tsx";
import { Draft } from "./draft.tsx";
import { useInputForm } from "./use-input-form.ts";

/** A form for one call of a capability: its fields, the preview, and the request. */
export function CallForm({
  capability,
  given,
  isFocused = false,
  onRequested,
}: {
  readonly capability: string;
  /** The values with which the form begins. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Whether the first field gets the focus. */
  readonly isFocused?: boolean;
  readonly onRequested?: () => void;
}) {
  const { data, isPending, error, refetch } = useQuery(contractQuery(capability));
  if (isPending) return <Skeleton rows={3} />;
  if (!data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <ContractForm
      key={data.contractDigest}
      contract={data}
      given={given}
      isFocused={isFocused}
      onRequested={onRequested}
    />
  );
}

function ContractForm({
  contract,
  given,
  isFocused,
  onRequested,
}: {
  readonly contract: Contract;
  readonly given: Readonly<Record<string, unknown>> | undefined;
  readonly isFocused: boolean;
  readonly onRequested: (() => void) | undefined;
}) {
  const form = useInputForm(contract.input, given);
  const { input } = form;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {contract.performer === "agent" && (
        <Notice tone="plain" icon={TriangleAlert}>
          The requester performs this call itself. Paraph rules on it and records what the requester reports.
        </Notice>
      )}
      <CheckedFields form={form} isFocused={isFocused}>
        {(focusFault) => (
          <Draft
            request={
              input && {
                kind: "call",
                capability: contract.name,
                input,
                performer: contract.performer,
              }
            }
            onFaults={focusFault}
            {...(onRequested && { onRequested })}
          />
        )}
      </CheckedFields>
    </div>
  );
}
