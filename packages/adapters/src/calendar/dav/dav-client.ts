import { CapabilityError } from "@paraph/core";
import { toStatusFault } from "../../egress/http-fault.ts";
import { isReadMethod } from "../../egress/read-method.ts";
import { readErrorText } from "../../egress/response-output.ts";
import { type RawResponse, sendRequest } from "../../egress/send-request.ts";
import { repeatIfRevoked } from "../../oauth/revoked-token.ts";
import type { CalendarContext, ConfiguredCalendar, RequestContext } from "../context.ts";
import { formatUtc } from "../time/format.ts";
import { openDavLogin } from "./login.ts";
import { answerInvalidFault, type DavResponse, parseMultistatus } from "./multistatus.ts";
import { toResourceId, toResourceUrl } from "./resource-id.ts";

/** An event's resource on the server. Its data is foreign text. */
export interface DavResource {
  readonly id: string;
  readonly etag: string;
  readonly data: string;
}

/** The condition of a write: the resource does not exist yet, or it still has this ETag. */
export type WriteCondition = { readonly kind: "absent" } | { readonly kind: "same"; readonly etag: string };

/** Returns the resources with an occurrence in this range. The server expands recurring events to find them. */
export async function queryRange(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  { from, to }: { readonly from: number; readonly to: number },
  context: RequestContext,
): Promise<DavResource[]> {
  const stamp = (utc: number) => formatUtc(utc).replaceAll(/[-:]/g, "");
  const body = `<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop>
<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="${stamp(from)}" end="${stamp(to)}"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
  return toResources(await report(calendarContext, calendar, "REPORT", body, context));
}

/** Returns these resources. It leaves out those that do not exist any more. */
export async function readResources(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  ids: readonly string[],
  context: RequestContext,
): Promise<DavResource[]> {
  const hrefs = ids.map(
    (id) => `<D:href>${toResourceUrl(calendar.url, id).pathname.replaceAll("&", "&amp;")}</D:href>`,
  );
  const body = `<?xml version="1.0" encoding="utf-8"?>
<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop>${hrefs.join("")}</C:calendar-multiget>`;
  return toResources(await report(calendarContext, calendar, "REPORT", body, context));
}

/** Returns a text that changes whenever the calendar does, or undefined if the server has none. */
export async function readCollectionTag(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  context: RequestContext,
): Promise<string | undefined> {
  const body = `<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:" xmlns:S="http://calendarserver.org/ns/"><D:prop><D:resourcetype/><D:sync-token/><S:getctag/></D:prop></D:propfind>`;
  const [collection] = await report(calendarContext, calendar, "PROPFIND", body, context, "0");
  if (!collection?.properties.has("resourcetype")) throw answerInvalidFault();
  return collection.properties.get("getctag") || collection.properties.get("sync-token") || undefined;
}

/** Returns the ETags of all resources of the calendar by their ids. */
export async function listEtags(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  context: RequestContext,
): Promise<Map<string, string>> {
  const body = `<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>`;
  const responses = await report(calendarContext, calendar, "PROPFIND", body, context);
  const etags = responses.flatMap(({ href, properties }) => {
    const [id, etag] = [toResourceId(href), properties.get("getetag")];
    return id === undefined || !etag ? [] : [[id, etag] as const];
  });
  return new Map(etags);
}

export async function readResource(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  id: string,
  context: RequestContext,
): Promise<DavResource | undefined> {
  const request = { method: "GET", url: toResourceUrl(calendar.url, id) };
  const { answered, secrets } = await send(calendarContext, calendar, request, context);
  if (answered.status === 404 || answered.status === 410) return undefined;
  requireSuccess(answered, "GET", secrets, calendarContext);
  const etag = readEtag(answered);
  if (etag === undefined)
    throw new CapabilityError(
      "permanent",
      "etag-missing",
      "The calendar server sends no ETag, so Paraph could not notice changes of others.",
    );
  return { id, etag, data: answered.body.toString("utf8") };
}

/** Writes the resource if the condition holds. Returns the new ETag, or that the condition does not hold. */
export async function writeResource(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  { id, data }: Pick<DavResource, "id" | "data">,
  condition: WriteCondition,
  context: RequestContext,
): Promise<{ readonly kind: "written"; readonly etag: string } | { readonly kind: "changed" }> {
  const { answered, secrets } = await send(
    calendarContext,
    calendar,
    {
      method: "PUT",
      url: toResourceUrl(calendar.url, id),
      headers: { "content-type": "text/calendar; charset=utf-8", ...toConditionHeader(condition) },
      body: data,
    },
    context,
  );
  if (answered.status === 412) return { kind: "changed" };
  requireSuccess(answered, "PUT", secrets, calendarContext);
  // A server that stores other bytes than it received sends no ETag.
  const etag = readEtag(answered) ?? (await readWritten(calendarContext, calendar, id, context))?.etag;
  return etag === undefined ? { kind: "changed" } : { kind: "written", etag };
}

/** Reads a resource after the write. The write has taken effect, so every fault is ambiguous. */
async function readWritten(...read: Parameters<typeof readResource>): Promise<DavResource | undefined> {
  try {
    return await readResource(...read);
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    throw new CapabilityError("ambiguous", error.code, `Paraph wrote the event. ${error.message}`);
  }
}

/** Deletes the resource if it still has this ETag. */
export async function deleteResource(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  { id, etag }: Pick<DavResource, "id" | "etag">,
  context: RequestContext,
): Promise<"deleted" | "absent" | "changed"> {
  const request = {
    method: "DELETE",
    url: toResourceUrl(calendar.url, id),
    headers: toConditionHeader({ kind: "same", etag }),
  };
  const { answered, secrets } = await send(calendarContext, calendar, request, context);
  if (answered.status === 404 || answered.status === 410) return "absent";
  if (answered.status === 412) return "changed";
  requireSuccess(answered, "DELETE", secrets, calendarContext);
  return "deleted";
}

async function report(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  method: "REPORT" | "PROPFIND",
  body: string,
  context: RequestContext,
  depth = "1",
): Promise<DavResponse[]> {
  const headers = { "content-type": "application/xml; charset=utf-8", depth };
  const request = { method, url: new URL(calendar.url), headers, body };
  const { answered, secrets } = await send(calendarContext, calendar, request, context);
  requireSuccess(answered, method, secrets, calendarContext);
  return parseMultistatus(answered.body.toString("utf8"));
}

function toResources(responses: readonly DavResponse[]): DavResource[] {
  return responses.flatMap(({ href, properties }) => {
    const [id, etag, data] = [toResourceId(href), properties.get("getetag"), properties.get("calendar-data")];
    return id === undefined || !etag || !data ? [] : [{ id, etag, data }];
  });
}

interface DavRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface DavAnswer {
  readonly answered: RawResponse;
  readonly secrets: readonly string[];
}

function send(...request: Parameters<typeof sendOnce>): Promise<DavAnswer> {
  return repeatIfRevoked(() => sendOnce(...request));
}

async function sendOnce(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  { headers = {}, ...request }: DavRequest,
  context: RequestContext,
): Promise<DavAnswer> {
  const login = await openDavLogin(calendarContext, calendar, context);
  const answered = await sendRequest(calendarContext.agents, {
    ...request,
    headers,
    secretHeaders: { authorization: login.authorization },
    signal: context.signal,
    maxBytes: calendarContext.config.maxBytes,
  });
  login.check(answered);
  return { answered, secrets: login.secrets };
}

function requireSuccess(
  answered: RawResponse,
  method: string,
  secrets: readonly string[],
  { config }: CalendarContext,
): void {
  const fault = toStatusFault(answered, { method, attempt: 1 }, readErrorText(answered, secrets));
  if (fault) throw fault;
  // The answer to a write says nothing that Paraph needs, and the write has taken effect.
  if (answered.cut && isReadMethod(method))
    throw new CapabilityError(
      "permanent",
      "answer-too-large",
      `The calendar server's answer is larger than ${config.maxBytes} bytes. Ask for a shorter time, or raise \`maxBytes\`.`,
    );
}

function readEtag({ headers }: RawResponse): string | undefined {
  const etag = [headers.etag].flat()[0];
  return etag !== undefined && /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag) ? etag : undefined;
}

function toConditionHeader(condition: WriteCondition): Record<string, string> {
  return condition.kind === "absent" ? { "if-none-match": "*" } : { "if-match": condition.etag };
}
