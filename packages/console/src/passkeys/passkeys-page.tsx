import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { ActSheet } from "../acts/act-sheet.tsx";
import { enrolmentQuery, openEnrolmentsQuery, passkeysQuery } from "../api/passkey-queries.ts";
import { meQuery } from "../api/queries.ts";
import type { Call, Me, Passkey } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { isObject } from "../lib/json.ts";
import { formatAgo, formatExactTime, formatTime, useNow } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { EnrolSheet } from "./enrol-sheet.tsx";
import { findObstacle } from "./find-obstacle.ts";
import { ObstacleNotice } from "./obstacle-notice.tsx";
import { readFingerprint } from "./read-fingerprint.ts";

/** The passkeys of the reader: those in force, those that wait for approval, and the form for another one. */
export function PasskeysPage() {
  const me = useQuery(meQuery);
  useTitle("Passkeys");
  if (me.isPending) return <Skeleton />;
  if (!me.data) return <LoadError error={me.error} onRetry={() => void me.refetch()} />;
  return (
    <article aria-labelledby="fact" className="h-full overflow-y-auto bg-canvas px-4 pb-8 md:px-6">
      <div className="max-w-180">
        <h1 id="fact" className="mt-5 text-[28px] leading-8.5 font-semibold tracking-[-0.015em]">
          Your passkeys
        </h1>
        <p className="mt-2 text-muted">
          Some approvals need a passkey: a security key, or the fingerprint, face or PIN of your device.
        </p>
        <Passkeys me={me.data} />
      </div>
    </article>
  );
}

function Passkeys({ me: { id } }: { readonly me: Me }) {
  const passkeys = useQuery(passkeysQuery(id));
  const requested = useQuery(openEnrolmentsQuery(id)).data ?? [];
  const enrolment = useQuery(enrolmentQuery);
  const [isEnrolling, setEnrolling] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  if (passkeys.isPending || enrolment.isPending) return <Skeleton rows={3} />;
  if (!passkeys.data) return <LoadError error={passkeys.error} onRetry={() => void passkeys.refetch()} />;
  if (!enrolment.data) return <LoadError error={enrolment.error} onRetry={() => void enrolment.refetch()} />;
  const own = passkeys.data.passkeys;
  const obstacle = findObstacle(enrolment.data.enrolment);
  const isEmpty = own.length + requested.length === 0;
  const enrol = () => setEnrolling(true);
  return (
    <div className="mt-5 grid gap-5">
      {obstacle && <ObstacleNotice obstacle={obstacle} />}
      <Card
        title="Enrolled"
        more={
          !obstacle &&
          !isEmpty && (
            <button type="button" className="link min-h-8 max-md:min-h-11" onClick={enrol}>
              Enrol passkey…
            </button>
          )
        }
      >
        {isEmpty ? (
          <div className="grid justify-items-start gap-3 p-3.5">
            <p className="text-muted">You have no passkey.</p>
            {!obstacle && (
              <button type="button" className="btn btn-primary" onClick={enrol}>
                Enrol passkey…
              </button>
            )}
          </div>
        ) : (
          <ul className="divide-y divide-line">
            {own.map((one) => (
              <PasskeyRow key={one.credential} passkey={one} onRemove={() => setRemoved(one)} />
            ))}
            {requested.map((call) => (
              <RequestedRow key={call.call} call={call} />
            ))}
          </ul>
        )}
      </Card>
      {own.length === 1 && requested.length === 0 && !obstacle && (
        <p className="text-muted">Enrol a second passkey, so that you can still approve if you lose one.</p>
      )}
      {isEnrolling && <EnrolSheet onClose={() => setEnrolling(false)} />}
      {removed && (
        <ActSheet
          act={{
            title: `Remove passkey ${removed.label}`,
            capability: "admin.passkey_remove",
            button: "Remove passkey",
          }}
          input={{ credential: removed.credential }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </div>
  );
}

function PasskeyRow({
  passkey: { label, fingerprint, createdAt, usedAt },
  onRemove,
}: {
  readonly passkey: Passkey;
  readonly onRemove: () => void;
}) {
  const now = useNow();
  return (
    <li className="flex items-start gap-3 px-3.5 py-2.5">
      <Fingerprint size={18} aria-hidden="true" className="mt-0.5 flex-none text-muted" />
      <div className="min-w-0 flex-1">
        <h3 className="font-semibold [overflow-wrap:anywhere]">
          <Foreign text={label} />
        </h3>
        <p className="text-sm text-muted">
          Enrolled{" "}
          <time dateTime={createdAt} title={formatExactTime(createdAt)}>
            {formatTime(createdAt, now)}
          </time>
          .{" "}
          {usedAt === undefined ? (
            "Not used yet."
          ) : (
            <>
              Last used{" "}
              <time dateTime={usedAt} title={formatExactTime(usedAt)}>
                {formatAgo(usedAt, now)}
              </time>
              .
            </>
          )}
        </p>
        <p className="text-sm text-muted">
          Key fingerprint <code className="whitespace-nowrap">{fingerprint}</code>
        </p>
      </div>
      <button
        type="button"
        className="btn min-h-8 px-2.5 text-sm max-md:min-h-11"
        aria-label={`Remove passkey ${label}…`}
        onClick={onRemove}
      >
        Remove…
      </button>
    </li>
  );
}

function RequestedRow({ call }: { readonly call: Call }) {
  const label = isObject(call.input) ? String(call.input.label) : "";
  const fingerprint = readFingerprint(call);
  return (
    <li className="flex items-start gap-3 px-3.5 py-2.5">
      <Fingerprint size={18} aria-hidden="true" className="mt-0.5 flex-none text-ink" />
      <div className="min-w-0 flex-1">
        <h3 className="font-semibold [overflow-wrap:anywhere]">
          <Foreign text={label} />
        </h3>
        <p className="text-sm">
          It works once its enrolment is approved.{" "}
          <Link to="/calls/$call" params={{ call: call.call }} className="link max-md:py-2.5">
            Open the call
          </Link>
        </p>
        {fingerprint !== undefined && (
          <p className="text-sm text-muted">
            Key fingerprint <code className="whitespace-nowrap">{fingerprint}</code>
          </p>
        )}
      </div>
    </li>
  );
}
