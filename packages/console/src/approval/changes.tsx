import { Eye, EyeOff, TriangleAlert } from "lucide-react";
import type { Round } from "../api/types.ts";
import { Foreign, formatJson } from "../lib/foreign.tsx";
import { readSteps } from "../plans/plan-step.ts";
import { StepList } from "../plans/step-list.tsx";
import { Notice } from "../ui/states.tsx";
import { Code, ValueTable } from "./blocks.tsx";
import { ChangeBlock } from "./change-block.tsx";
import { EndMark } from "./end-mark.tsx";
import { readPath } from "./read-path.ts";
import type { Reveal } from "./use-reveal.ts";

type Effect = NonNullable<Round["contract"]>["effect"];

interface ChangesData extends Pick<Round, "preview" | "previewed" | "input" | "masked"> {
  readonly title?: string;
  /** The effect that the contract of the capability states. */
  readonly effect?: Effect | undefined;
}

/** Shows the changes, and which values are hidden. */
export function Changes({ round, reveal }: { readonly round: ChangesData; readonly reveal?: Reveal }) {
  const { preview, masked, title = "What will change" } = round;
  const count = preview?.changes.length ?? 0;
  const steps = readSteps(round);
  return (
    <section aria-labelledby="changes" className="card mt-3 overflow-hidden">
      <div className="flex min-h-11 items-center gap-3 border-b border-line px-3.5 py-2">
        <h2 id="changes" tabIndex={-1} className="font-semibold outline-none">
          {title}
        </h2>
        <span className="ml-auto text-sm text-muted">
          {steps ? `${steps.length} steps` : count > 0 ? formatCount(count, "change") : ""}
        </span>
      </div>
      {steps ? <StepList steps={steps} /> : <ChangeList round={round} />}
      {masked.length > 0 && <HiddenValues masked={masked} reveal={reveal} />}
      {reveal && reveal.revealed.length > 0 && <RevealedValues paths={reveal.revealed} input={round.input} />}
    </section>
  );
}

/** The changes of one call. Without a preview, the whole input, with a notice that the changes are unknown. */
export function ChangeList({
  round: { preview, previewed, input, effect },
}: {
  readonly round: Pick<ChangesData, "preview" | "previewed" | "input" | "effect">;
}) {
  const changes = preview?.changes ?? [];
  if (changes.length > 0)
    return (
      <ol className="divide-y divide-line">
        {changes.map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the changes of one preview never move
          <li key={index}>
            <ChangeBlock change={change} />
          </li>
        ))}
      </ol>
    );
  return (
    <div className="grid gap-3 p-3.5">
      {effect === "read" && !previewed ? (
        <p>This only reads and changes nothing. The whole input:</p>
      ) : (
        <Notice tone="unknown" icon={TriangleAlert}>
          <strong>The changes are unknown.</strong>{" "}
          {previewed
            ? "You can't see the preview, or it shows no changes."
            : "This capability has no preview."}{" "}
          The whole input:
        </Notice>
      )}
      <Code text={input === undefined ? "Erased" : formatJson(input)} />
      <EndMark />
    </div>
  );
}

const row = "flex flex-wrap items-center gap-x-3 border-t border-line px-3.5 py-2";

/** The names of hidden values, and the button that reveals them. */
function HiddenValues({
  masked,
  reveal,
}: {
  readonly masked: readonly string[];
  readonly reveal: Reveal | undefined;
}) {
  return (
    <div className={row}>
      <p className="min-w-0 flex-1">
        <EyeOff size={16} aria-hidden="true" className="mr-2 inline text-muted" />
        Hidden:{" "}
        {masked.map((path) => (
          <code key={path} className="mr-2">
            <Foreign text={path} />
          </code>
        ))}
      </p>
      {reveal?.start && (
        <button
          type="button"
          className="link min-h-8 max-md:min-h-11"
          title="Paraph records who revealed which values"
          aria-disabled={reveal.isPending}
          onClick={reveal.start}
        >
          {reveal.isPending ? "Revealing…" : "Reveal"}
          <span className="text-muted"> (recorded)</span>
        </button>
      )}
      {reveal?.error !== undefined && (
        <p role="alert" className="w-full text-critical">
          {reveal.error}
        </p>
      )}
    </div>
  );
}

/** The values that the reader has revealed. Those of the preview are in place above. */
function RevealedValues({ paths, input }: { readonly paths: readonly string[]; readonly input: unknown }) {
  const values = paths
    .map((path) => [path, readPath(input, path)] as const)
    .filter(([, value]) => value !== undefined);
  return (
    <>
      {values.length > 0 && <ValueTable values={Object.fromEntries(values)} />}
      <p className={`${row} text-sm text-muted`}>
        <Eye size={16} aria-hidden="true" />
        You revealed {formatCount(paths.length, "value")}. This is recorded.
      </p>
      <EndMark />
    </>
  );
}

function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-GB")} ${noun}${count === 1 ? "" : "s"}`;
}
