import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { formatKeyFingerprint } from "../../passkeys/public-key.ts";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { createEnrolmentChallenge } from "../middleware/csrf-token.ts";
import { readTrace, toRequestMetadata } from "../middleware/request-metadata.ts";
import { isAuditorOrAdmin, requireAuditor } from "../middleware/require-auditor.ts";
import { readSessionCookie } from "../middleware/session-cookie.ts";
import { waitAsPreferred } from "../middleware/wait-as-preferred.ts";
import { HttpProblem } from "../problem.ts";
import { callSchema } from "../schemas/call.ts";
import { callHeaders, callRequestHeaders, callRequestProblems } from "../schemas/call-request.ts";
import { requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { newPasskeySchema, passkeyEnrolmentSchema, passkeySchema } from "../schemas/people.ts";
import { toCallView, toIso } from "../views/call-view.ts";

const listPasskeys = createRoute({
  operationId: "listPasskeys",
  method: "get",
  path: "/v1/passkeys",
  tags: ["People"],
  summary: "List enrolled passkeys",
  description: "Administrators and auditors read all passkeys. Everyone else reads their own.",
  security: requireAnyScope("read", "decide"),
  request: { query: z.object({ person: z.string().min(1).max(255).optional() }) },
  responses: {
    200: toJsonResponse(z.object({ passkeys: z.array(passkeySchema) }), "The passkeys, the oldest first."),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

const getPasskeyEnrolment = createRoute({
  operationId: "getPasskeyEnrolment",
  method: "get",
  path: "/v1/passkeys/enrolment",
  tags: ["People"],
  summary: "Get the options with which your browser creates a passkey",
  description:
    "For browser sessions only, because the challenge belongs to the session. Pass the options to `navigator.credentials.create` with required user verification and without attestation, on a page of this server at `origin`.",
  security: requireAnyScope("admin"),
  responses: {
    200: toJsonResponse(
      z.object({
        enrolment: passkeyEnrolmentSchema.optional().openapi({
          description:
            "Missing if Paraph is reached at an IP address, because browsers offer passkeys only for host names.",
        }),
      }),
      "The options.",
    ),
    ...toProblemResponses("not-authenticated", "scope-missing", "session-required"),
  },
});

const enrolPasskey = createRoute({
  operationId: "enrolPasskey",
  method: "post",
  path: "/v1/passkeys",
  tags: ["People"],
  summary: "Enrol a passkey",
  description:
    "For browser sessions only. Verifies the registration, and requests a call of `admin.passkey_add` for you. The passkey works when the call has succeeded, in most tenants after the approval of another person.",
  security: requireAnyScope("admin"),
  request: {
    headers: callRequestHeaders,
    body: { required: true, content: { "application/json": { schema: newPasskeySchema } } },
  },
  responses: {
    200: { ...toJsonResponse(callSchema, "The call is closed; `outcome` says how."), headers: callHeaders },
    202: {
      ...toJsonResponse(callSchema, "The call is open; `waiting` says why and how to wait."),
      headers: callHeaders,
    },
    ...toProblemResponses(...callRequestProblems, "session-required", "passkey-invalid"),
  },
});

export const passkeyOperations = [listPasskeys, getPasskeyEnrolment, enrolPasskey];

export function createPasskeyRoutes(parts: RouteDeps) {
  const { service } = parts;
  return createRouter()
    .openapi(listPasskeys, async (c) => {
      const reader = c.get("principal");
      const { person } = c.req.valid("query");
      if (person !== undefined && person !== reader.id) requireAuditor(reader);
      const found = await service.passkeys.list(reader, isAuditorOrAdmin(reader) ? person : reader.id);
      const passkeys = found.map(({ credential, person, label, publicKey, createdAt, usedAt }) => ({
        credential,
        person,
        label,
        publicKey,
        fingerprint: formatKeyFingerprint(publicKey),
        createdAt: toIso(createdAt),
        ...(usedAt !== undefined && { usedAt: toIso(usedAt) }),
      }));
      return c.json({ passkeys }, 200);
    })
    .openapi(getPasskeyEnrolment, async (c) => {
      const found = await service.passkeys.createEnrolment(c.get("principal"), requireChallenge(c));
      if (!found) return c.json({}, 200);
      const { credentials, algorithms, ...enrolment } = found;
      return c.json(
        { enrolment: { ...enrolment, credentials: [...credentials], algorithms: [...algorithms] } },
        200,
      );
    })
    .openapi(enrolPasskey, async (c) => {
      const principal = c.get("principal");
      const { label, registration } = c.req.valid("json");
      const found = await service.passkeys.verifyRegistration(registration, requireChallenge(c));
      if (!found)
        throw new HttpProblem(
          "passkey-invalid",
          "The registration is no valid passkey with user verification for this session and this address. Set a PIN or a fingerprint on the passkey, and try again.",
        );
      const { call, known } = await service.requestCall({
        principal,
        capability: "admin.passkey_add",
        input: { person: principal.id, label, ...found },
        ...toRequestMetadata({}, c.req.valid("header")["idempotency-key"]),
        ...readTrace(c),
      });
      const now = await waitAsPreferred(c, call, parts);
      c.header("location", `/v1/calls/${call.call}`);
      if (known) c.header("idempotent-replay", "true");
      return c.json(await toCallView(now, principal, service), now.state === "closed" ? 200 : 202);
    });
}

/** [TRUST 27] Returns the challenge for a new passkey of the session, and rejects a caller without a session. */
function requireChallenge(c: Context<Env>): string {
  const session = readSessionCookie(c);
  if (session !== undefined && c.get("caller").how === "session")
    return createEnrolmentChallenge(session, c.get("principal").id);
  throw new HttpProblem(
    "session-required",
    "Only the browser session of a person can enrol a passkey. Log in at `/login`, and open `/passkeys`.",
  );
}
