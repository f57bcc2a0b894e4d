import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Circle, CircleCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import { newestCallsQuery } from "../api/overview-queries.ts";
import { decidedQuery } from "../api/queries.ts";
import { Code } from "../approval/blocks.tsx";
import { Card } from "../ui/card.tsx";

/** The first steps of a new tenant: the first call, its approval, and the approved action. */
interface FirstRunProgress {
  readonly call: string | undefined;
  readonly approved: string | undefined;
  readonly performed: string | undefined;
}

/**
 * Returns the progress of a new tenant, null for a tenant in use, and undefined while that is not known. A guide that is
 * on the screen stays until the reader leaves, so that its last tick is visible.
 */
export function useFirstRun(): FirstRunProgress | null | undefined {
  const newest = useQuery(newestCallsQuery);
  const approvals = useInfiniteQuery(decidedQuery("approved"));
  const [isShown, setShown] = useState<boolean>();
  // A guide is a help. If its data does not load, the rest of the screen does.
  if (newest.isError || approvals.isError) return null;
  if (!newest.data || !approvals.data) return undefined;
  const { calls, next } = newest.data;
  const approved = approvals.data.pages.flatMap(({ approvals }) => approvals).map(({ call }) => call);
  const performed = calls.find(
    ({ call, outcome }) => outcome?.kind === "succeeded" && approved.includes(call),
  )?.call;
  // An update during the render: React repeats the render at once, before anything is visible.
  if (isShown === undefined) setShown(next === undefined && performed === undefined);
  return isShown ? { call: calls.at(-1)?.call, approved: approved.at(-1), performed } : null;
}

/** Leads a new tenant to its first approved action. The steps tick themselves. */
export function FirstRun({
  progress: { call, approved, performed },
}: {
  readonly progress: FirstRunProgress;
}) {
  return (
    <Card title="Get to your first approved action">
      <ol>
        <Step isDone={call !== undefined} title="Let an agent request a call">
          <p>Connect an MCP client to this address, with the API key of the agent:</p>
          <Code text={`${location.origin}/mcp`} />
          <p>Or request a call from a terminal:</p>
          <Code text={'npx paraph call files.write path=hello.txt content="Hello from an agent"'} />
        </Step>
        <Step isDone={approved !== undefined} title="Approve it">
          <p>
            If policy asks a person, the call waits in the{" "}
            <Link to="/inbox" className="link">
              inbox
            </Link>
            . You see what it will change before you decide.
          </p>
        </Step>
        <Step isDone={performed !== undefined} title="See that it was performed once">
          {performed === undefined ? (
            <p>Paraph performs the approved call and signs a receipt.</p>
          ) : (
            <p>
              The action is done, and its receipt is signed.{" "}
              <Link to="/calls/$call" params={{ call: performed }} className="link">
                Open the call
              </Link>
            </p>
          )}
        </Step>
      </ol>
    </Card>
  );
}

function Step({
  isDone,
  title,
  children,
}: {
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li className="flex gap-3 border-b border-line p-3.5 last:border-b-0">
      <Icon size={20} aria-hidden="true" className={`flex-none ${isDone ? "text-good" : "text-edge"}`} />
      <div className="grid min-w-0 gap-2">
        <h3 className="font-semibold">
          {title}
          <span role="status" className="sr-only">
            {isDone ? " (done)" : " (to do)"}
          </span>
        </h3>
        <div className="grid min-w-0 gap-2 text-muted">{children}</div>
      </div>
    </li>
  );
}
