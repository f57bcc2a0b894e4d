import { CapabilityError } from "@paraph/core";
import { fillSecrets } from "../../egress/secrets.ts";
import type { RawResponse } from "../../egress/send-request.ts";
import { fillOauth } from "../../oauth/config.ts";
import { tokenRevokedFault } from "../../oauth/revoked-token.ts";
import type { CalendarContext, ConfiguredCalendar, RequestContext } from "../context.ts";

/** The login of one request. */
interface DavLogin {
  /** The value of the header `Authorization`. */
  readonly authorization: string;
  readonly secrets: readonly string[];
  /** Throws if the server refused an access token. Other refusals are faults of the request. */
  check(answered: RawResponse): void;
}

export async function openDavLogin(
  { config, tokens }: CalendarContext,
  calendar: ConfiguredCalendar,
  { signal, credential }: RequestContext,
): Promise<DavLogin> {
  // The schema of the configuration rejects a calendar without a credential.
  const used = (calendar.credential ?? config.credential)!;
  const check = () => {};
  if ("token" in used) {
    const { text, secrets } = await fillSecrets(used.token, credential);
    return { authorization: `Bearer ${text}`, secrets, check };
  }
  if ("user" in used) {
    const { text, secrets } = await fillSecrets(used.password, credential);
    const basic = Buffer.from(`${used.user}:${text}`).toString("base64");
    return { authorization: `Basic ${basic}`, secrets: [...secrets, basic], check };
  }
  const token = await tokens.get(await fillOauth(used.oauth, credential), signal);
  const { origin } = new URL(calendar.url);
  return {
    authorization: `Bearer ${token.value}`,
    secrets: [token.value],
    check({ status }) {
      if (status !== 401) token.acceptedBy.add(origin);
      else throw tokens.reject(token, origin) ? tokenRevokedFault("calendar") : tokenRefusedFault();
    },
  };
}

function tokenRefusedFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "token-refused",
    "The calendar server refused the access token. Check `scope` in `oauth`, and whether the account may access the calendar.",
  );
}
