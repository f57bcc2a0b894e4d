import { useQuery } from "@tanstack/react-query";
import { ChevronLeft } from "lucide-react";
import { useState } from "react";
import { capabilityNamesQuery } from "../api/queries.ts";
import type { CapabilitySummary } from "../api/types.ts";
import { sortBuiltinLast } from "../capabilities/builtin.ts";
import { Foreign } from "../lib/foreign.tsx";
import { CallForm } from "../request/call-form.tsx";
import { EffectBadge } from "../ui/effect.tsx";
import { RiskMark } from "../ui/risk.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { OptionList } from "./option-list.tsx";
import { matchesWords } from "./words.ts";

/** Drafts a call: choose a capability, and fill in its fields. It needs no model. */
export function Command({
  takeTyped,
  onRequested,
}: {
  readonly takeTyped: () => string;
  readonly onRequested: () => void;
}) {
  const { data, isPending, error, refetch } = useQuery(capabilityNamesQuery);
  const [text, setText] = useState(takeTyped);
  const [chosen, setChosen] = useState<CapabilitySummary>();
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (chosen) {
    const { name, summary, effect, risk } = chosen;
    return (
      <section aria-labelledby="command" className="mx-auto grid max-w-190 grid-cols-[minmax(0,1fr)] gap-4">
        <div>
          <button
            type="button"
            className="link -ml-1 flex items-center gap-1 text-sm max-md:min-h-11"
            onClick={() => setChosen(undefined)}
          >
            <ChevronLeft size={16} aria-hidden="true" />
            Choose another capability
          </button>
          <h2 id="command" className="mt-1 text-xl font-semibold">
            <Foreign text={summary} />
          </h2>
          <p className="mt-1 flex flex-wrap items-center gap-3">
            <code className="text-muted">{name}</code>
            <EffectBadge effect={effect} />
            <RiskMark risk={risk} />
          </p>
        </div>
        <CallForm capability={name} isFocused onRequested={onRequested} />
      </section>
    );
  }
  // The field is there while the names load, so that nothing that the person types is lost.
  const available = sortBuiltinLast(
    (data ?? []).filter(({ unavailable }) => unavailable === undefined),
    ({ name }) => name,
  );
  return (
    <OptionList
      label="Choose a capability"
      placeholder="Choose a capability: refund, files.write…"
      text={text}
      onText={setText}
      options={available
        .filter(({ name, summary }) => matchesWords(text.trim(), `${name} ${summary}`))
        .map((one) => ({
          ...{ id: one.name, group: "Capabilities" },
          label: <Foreign text={one.summary} />,
          detail: <code>{one.name}</code>,
          run: () => setChosen(one),
        }))}
      empty={isPending ? <Skeleton rows={4} /> : "No capability matches that you may request."}
    />
  );
}
