import type { Call, Principal } from "@paraph/core";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { approvalPage } from "../approval-page.ts";
import { callerOf } from "../authenticate.ts";
import type { Env, Parts } from "../context.ts";
import { formProof, isFormProof } from "../form-proof.ts";
import { inboxPage, placeOf } from "../inbox-page.ts";
import { Problem, problemOf, problems, unknownApproval } from "../problem.ts";
import { sessionIn } from "../session-cookie.ts";
import { contractOf } from "../views.ts";

const pageSize = 50;
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Without a referrer a browser would not tell its own server the origin of a form either.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/** [TRUST 2] The pages for people. A GET shows and does nothing; a POST by a logged-in person counts. */
export function pageRoutes({ service, pages }: Parts): Hono<Env> {
  const { approver } = service;
  const app = new Hono<Env>();
  const show = (c: Context, page: string, status: ContentfulStatusCode = 200) =>
    c.body(page, status, headers);

  app.onError((error, c) => {
    const problem = problemOf(error);
    const link = linkFor(problem, c.req.param("approval"));
    return show(
      c,
      pages.notice({ title: problems[problem.code][1], text: wordsOf(problem), link }),
      problem.status,
    );
  });

  app.use("/approvals/*", async (c, next) => {
    const caller = await callerOf(c, service);
    // A key is for programs, and may be narrower than its principal: pages are for sessions, which are a person's own.
    if (caller?.how !== "session") return c.redirect(loginFor(c), 303);
    c.set("caller", caller);
    c.set("principal", caller.principal);
    return next();
  });

  const round = async (c: Context<Env>) => {
    const reader = c.get("principal");
    const approval = c.req.param("approval") ?? "";
    const isHandle = /^[A-Za-z0-9_-]{1,128}$/.test(approval);
    const call = isHandle ? await service.findApproval(reader, approval) : undefined;
    if (!call?.approval) throw unknownApproval();
    return { call, round: call.approval, isNewest: call.approval.id === approval };
  };

  const pageOf = async (c: Context<Env>, call: Call, how: { opened: boolean; revealed: boolean }) => {
    const reader = c.get("principal");
    const newest = call.approval;
    const [standing, history] = await Promise.all([approver.standing(reader, call), approver.past(call)]);
    if (!newest || standing === "not-a-person") throw unknownApproval();
    return approvalPage(call, newest, {
      ...{ reader, standing, history, opened: how.opened, now: Date.now() },
      contract: contractOf(call, service),
      ...(approver.reveal && { reveal: how.revealed ? "done" : "offered" }),
      prove: (seen) => formProof(sessionOf(c), seen, newest.id, newest.digest),
    });
  };

  app.get("/approvals", async (c) => {
    const reader = c.get("principal");
    const after = placeOf(c.req.query("after"));
    const rows = await approver.inbox(reader, { limit: pageSize, ...(after && { after }) });
    return show(c, pages.inbox(inboxPage(rows, reader, service, { now: Date.now(), limit: pageSize })));
  });

  app.get("/approvals/:approval", async (c) => {
    const { call, round: newest, isNewest } = await round(c);
    if (!isNewest) return show(c, pages.notice(replaced(newest.id, c.get("principal"))));
    const page = await pageOf(c, call, { opened: c.req.query("opened") === "1", revealed: false });
    return show(c, pages.approval(page));
  });

  app.post("/approvals/:approval/decision", small, async (c) => {
    const voter = c.get("principal");
    const { round: newest } = await round(c);
    const approval = c.req.param("approval");
    const { decision, digest, proof, reason } = decisionIn(await formIn(c));
    const about = [approval, digest] as const;
    const opened = isFormProof(proof, sessionOf(c), "opened", ...about);
    const shown = opened || isFormProof(proof, sessionOf(c), "shown", ...about);
    if (!(decision === "deny" ? shown : opened)) throw unproven();
    await service.decide({ approval, voter, decision, digest, ...(reason !== "" && { reason }) });
    return c.redirect(`/approvals/${newest.id}`, 303);
  });

  /** [TRUST 16] Recorded first, then shown: in the answer to this very request, and nowhere else. */
  app.post("/approvals/:approval/reveal", small, async (c) => {
    const reader = c.get("principal");
    const { call, round: newest, isNewest } = await round(c);
    const { digest = "", proof = "" } = await formIn(c);
    const isProven = isFormProof(proof, sessionOf(c), "shown", newest.id, newest.digest);
    if (!isNewest || digest !== newest.digest || !isProven) throw unproven();
    const { forms } = await pageOf(c, call, { opened: true, revealed: false });
    if (forms.reveal === undefined || !approver.reveal) {
      throw new Problem("approver-not-allowed", "It is revealed to those who are asked, and to nobody else.");
    }
    await approver.reveal(reader, call);
    return show(c, pages.approval(await pageOf(c, call, { opened: true, revealed: true })));
  });

  app.get("/pages.css", (c) =>
    c.body(pages.stylesheet, 200, {
      "content-type": "text/css; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    }),
  );
  return app;
}

const small = bodyLimit({
  maxSize: 32_768,
  onError: () => {
    throw new Problem("body-too-large", "A reason may have 2,000 characters.");
  },
});

/** Nobody comes here without one. */
function sessionOf(c: Context<Env>): string {
  return sessionIn(c) ?? "";
}

type Form = Readonly<Record<string, string | undefined>>;

async function formIn(c: Context): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(c.req.header("content-type") ?? "")) {
    throw new Problem("content-type-unsupported", "Use the form on the approval's own page.");
  }
  return Object.fromEntries(new URLSearchParams(await c.req.text()));
}

function decisionIn({ decision, digest = "", proof = "", reason = "" }: Form) {
  if (decision !== "approve" && decision !== "deny") throw new Problem("body-invalid", "Approve or deny.");
  // A browser sends the lines of a text with two characters at their end, and counts one.
  const words = reason.replaceAll("\r\n", "\n").trim();
  if (words.length > 2_000) throw new Problem("body-invalid", "A reason may have 2,000 characters.");
  return { decision, digest, proof, reason: words } as const;
}

function unproven(): Problem {
  return new Problem(
    "approval-changed",
    "Nothing was decided: open the approval again and look at what it shows now.",
  );
}

function replaced(newest: string, { id }: Principal) {
  return {
    reader: id,
    title: "This question was replaced",
    text: "What it rested on has moved since, so it was asked anew. Answers to this one count for nothing.",
    link: { href: `/approvals/${newest}`, text: "Look at what is asked now" },
  };
}

/** Back to where one can go on: the approval, if there is one to go back to. */
function linkFor({ code }: Problem, approval: string | undefined) {
  const isThere = approval !== undefined && code !== "approval-unknown" && code !== "internal";
  if (isThere) return { href: `/approvals/${encodeURIComponent(approval)}`, text: "Look at it again" };
  return { href: "/approvals", text: "All approvals" };
}

/** Problems advise callers of the API; here a person reads. */
function wordsOf({ code, message }: Problem): string {
  if (code === "approval-unknown") return "It was never there, or it is not yours to see.";
  return code === "internal" ? "It was not you. Try again in a moment." : message;
}

/** To log in, and back to the page; a form that was sent without a session is not sent again by itself. */
function loginFor(c: Context): string {
  const page = c.req.path.replace(/\/(decision|reveal)$/, "");
  return `/login?${new URLSearchParams({ to: page })}`;
}
