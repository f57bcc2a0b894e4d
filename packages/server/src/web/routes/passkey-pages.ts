import { ParaphError } from "@paraph/core";
import type { Context, Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import {
  createCsrfToken,
  createEnrolmentChallenge,
  isValidCsrfToken,
} from "../../http/middleware/csrf-token.ts";
import { HttpProblem } from "../../http/problem.ts";
import { registrationSchema } from "../../passkeys/ceremonies.ts";
import { formatKeyFingerprint } from "../../passkeys/public-key.ts";
import { passkeyScript } from "../html/passkey-script.ts";
import {
  createPageRouter,
  parseFormJson,
  readForm,
  readFormText,
  readPageSession,
  sendPage,
  smallBodyLimit,
  staleFormProblem,
} from "./page-router.ts";

/**
 * Creates the page on which people enrol and remove their passkeys. Both are governed calls: the page only requests
 * them.
 */
export function createPasskeyPageRoutes({ service, pages }: RouteDeps): Hono<Env> {
  const { passkeys } = service;
  const app = createPageRouter({ service, pages });
  const about = (c: Context<Env>) => ["passkeys", c.get("principal").id] as const;
  const createToken = (c: Context<Env>) => createCsrfToken(readPageSession(c), "shown", ...about(c));
  const createChallenge = (c: Context<Env>) =>
    createEnrolmentChallenge(readPageSession(c), c.get("principal").id);

  const render = async (c: Context<Env>, fault?: string) => {
    const reader = c.get("principal");
    const own = await passkeys.list(reader, reader.id);
    const enrolment = await passkeys.createEnrolment(reader, createChallenge(c));
    const page = {
      reader: reader.id,
      proof: createToken(c),
      passkeys: own.map(({ publicKey, ...one }) => ({
        ...one,
        fingerprint: formatKeyFingerprint(publicKey),
      })),
      ...(enrolment && { enrolment }),
      ...(fault !== undefined && { fault }),
    };
    return sendPage(c, pages.passkeys(page), fault === undefined ? 200 : 422, { script: true });
  };
  const readVerifiedForm = async (c: Context<Env>) => {
    const form = await readForm(c);
    if (!isValidCsrfToken(form.proof ?? "", readPageSession(c), "shown", ...about(c)))
      throw staleFormProblem();
    return form;
  };
  /** Requests an administrative call and leads to its page, where the person sees who has to approve it. */
  const request = async (c: Context<Env>, capability: string, input: Record<string, string>) => {
    const { call } = await service.requestCall({ principal: c.get("principal"), capability, input });
    return c.redirect(`/calls/${call.call}`, 303);
  };

  app.get("/passkeys", (c) => render(c));

  app.post("/passkeys", smallBodyLimit, async (c) => {
    const form = await readVerifiedForm(c);
    const posted = parseFormJson(form.registration, registrationSchema);
    const found = posted && (await passkeys.verifyRegistration(posted, createChallenge(c)));
    if (!found)
      return render(
        c,
        "Your browser sent no valid passkey with user verification for this page. Set a PIN or a fingerprint on it, and try again.",
      );
    const label = readFormText(form.label);
    try {
      return await request(c, "admin.passkey_add", { person: c.get("principal").id, label, ...found });
    } catch (error) {
      if (error instanceof ParaphError && error.code === "input-invalid") return render(c, error.message);
      throw error;
    }
  });

  app.post("/passkeys/remove", smallBodyLimit, async (c) => {
    const { credential = "" } = await readVerifiedForm(c);
    const own = await passkeys.list(c.get("principal"), c.get("principal").id);
    if (!own.some((one) => one.credential === credential))
      throw new HttpProblem("body-invalid", "You have no such passkey. Open the page again.");
    return request(c, "admin.passkey_remove", { credential });
  });

  app.get("/passkeys.js", (c) =>
    c.body(passkeyScript, 200, {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    }),
  );
  return app;
}
