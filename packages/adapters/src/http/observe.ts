import { createHash } from "node:crypto";
import type { Observation, ObservationPage, ObserveContext } from "@paraph/core";
import { isRedirectedRead, redirectedFault, toStatusFault } from "../egress/http-fault.ts";
import { readErrorText } from "../egress/response-output.ts";
import { sendRequest } from "../egress/send-request.ts";
import { formatCursor, parseCursor, toObservationId } from "../observe-cursor.ts";
import { type HttpContext, readCredential } from "./perform-request.ts";
import { requireAllowedUrl } from "./request-url.ts";

/** The state of one URL in a cursor. `sha256` is missing if the resource does not exist. */
interface KnownResource {
  readonly sha256?: string;
  readonly etag?: string;
  readonly modified?: string;
  /** The number of changes since the first poll at `start`. They tell two equal changes apart. */
  readonly change: number;
  readonly start: number;
}

type KnownResources = Readonly<Record<string, KnownResource>>;

/**
 * Returns a function that reports the watched URLs whose content was created, changed or deleted since the cursor. The
 * first poll of a URL only records its content. A host that knows `ETag` or `Last-Modified` sends the content only if it
 * changed. If one URL fails, the whole poll fails, so that no partial result looks complete.
 */
export function createResourceObserver(
  httpContext: HttpContext,
): (cursor: string | undefined, context: ObserveContext) => Promise<ObservationPage> {
  return async (cursor, context) => {
    const known = cursor === undefined ? {} : parseCursor<KnownResources>(cursor);
    const polled = [];
    for (const url of httpContext.config.watch)
      polled.push(await pollResource(httpContext, url, known[url], context));
    const next = formatCursor(Object.fromEntries(polled.map(({ url, resource }) => [url, resource])));
    return { observations: polled.flatMap(({ observation }) => observation ?? []), cursor: next };
  };
}

async function pollResource(
  httpContext: HttpContext,
  url: string,
  known: KnownResource | undefined,
  context: ObserveContext,
): Promise<{ readonly url: string; readonly resource: KnownResource; readonly observation?: Observation }> {
  const found = await readResource(httpContext, url, known, context);
  const before = known ?? { change: 0, start: Date.now() };
  if (found === "unchanged") return { url, resource: before };
  const { data, ...marks } = found;
  const isChanged = known !== undefined && known.sha256 !== marks.sha256;
  const resource = { ...marks, start: before.start, change: before.change + (isChanged ? 1 : 0) };
  if (!isChanged) return { url, resource };
  const kind = toKind(known.sha256, marks.sha256);
  const id = toObservationId(kind, url, marks.sha256, resource.start, resource.change);
  return { url, resource, observation: { id, kind, subject: url, data } };
}

function toKind(before: string | undefined, now: string | undefined): string {
  if (before === undefined) return "resource.created";
  return now === undefined ? "resource.deleted" : "resource.changed";
}

type Reading = Pick<KnownResource, "sha256" | "etag" | "modified"> & { readonly data: Observation["data"] };

async function readResource(
  { config, agents }: HttpContext,
  watched: string,
  known: KnownResource | undefined,
  context: ObserveContext,
): Promise<Reading | "unchanged"> {
  const url = requireAllowedUrl(watched, config);
  const { secretHeaders, secrets } = await readCredential(config.hosts[url.origin]!, context);
  const answered = await sendRequest(agents, {
    method: "GET",
    url,
    headers: {
      ...(known?.etag !== undefined && { "if-none-match": known.etag }),
      ...(known?.modified !== undefined && { "if-modified-since": known.modified }),
    },
    secretHeaders,
    signal: context.signal,
    maxBytes: config.maxBytes,
  });
  const { status, headers, body, cut } = answered;
  if (status === 304 && known) return "unchanged";
  if (status === 404 || status === 410) return { data: { status } };
  if (isRedirectedRead("GET", answered)) throw redirectedFault(answered, secrets, "Watch that URL instead.");
  const conditions = { method: "GET", attempt: 1, keyed: false };
  const fault = toStatusFault(answered, conditions, readErrorText(answered, secrets));
  if (fault) throw fault;
  const sha256 = createHash("sha256").update(body).digest("hex");
  return {
    sha256,
    ...(headers.etag !== undefined && { etag: headers.etag }),
    ...(headers["last-modified"] !== undefined && { modified: headers["last-modified"] }),
    data: { status, sha256, bytes: body.length, ...(cut && { cut }) },
  };
}
