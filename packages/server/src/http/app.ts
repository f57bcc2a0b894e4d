import { methodNotAllowed } from "hono/method-not-allowed";
import { createAppFileRoutes } from "../web/routes/app-files.ts";
import { createApprovalPageRoutes } from "../web/routes/approval-pages.ts";
import { createBulkPageRoutes } from "../web/routes/bulk-pages.ts";
import { createConsoleRoutes } from "../web/routes/console.ts";
import { createDecidedPageRoutes } from "../web/routes/decided-pages.ts";
import { createLoginRoutes } from "../web/routes/login.ts";
import { createNotificationPageRoutes } from "../web/routes/notification-pages.ts";
import { createPasskeyPageRoutes } from "../web/routes/passkey-pages.ts";
import { createSlackPageRoutes } from "../web/routes/slack-pages.ts";
import { createVerifyPageRoutes } from "../web/routes/verify-page.ts";
import { createRouter, type RouteDeps } from "./context.ts";
import { createReferenceRoutes } from "./docs/routes.ts";
import { authenticate } from "./middleware/authenticate.ts";
import { jsonBody } from "./middleware/json-body.ts";
import { requireKnownHost } from "./middleware/known-host.ts";
import { rejectZeroByte } from "./middleware/no-zero-byte.ts";
import { logRequests } from "./middleware/request-log.ts";
import { requireSameOrigin } from "./middleware/same-origin.ts";
import { requireScopes } from "./middleware/scopes.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { HttpProblem, toProblem, toProblemResponse } from "./problem.ts";
import { createActivityRoutes } from "./routes/activity.ts";
import { createAdapterRoutes } from "./routes/adapters.ts";
import { createAdministrationRoutes } from "./routes/administration.ts";
import { createAgentExecutionRoutes } from "./routes/agent-execution.ts";
import { createApprovalRoutes } from "./routes/approvals.ts";
import { createCallActionRoutes } from "./routes/call-actions.ts";
import { createCallRoutes } from "./routes/calls.ts";
import { createCapabilityRoutes } from "./routes/capabilities.ts";
import { createDelegationRoutes } from "./routes/delegations.ts";
import { createEditRoutes } from "./routes/edits.ts";
import { createEventRoutes } from "./routes/events.ts";
import { createHealthRoutes } from "./routes/health.ts";
import { createInboundRoutes } from "./routes/inbound.ts";
import { createInboxRoutes } from "./routes/inbox.ts";
import { createIntentRoutes } from "./routes/intents.ts";
import { createLoadRoutes } from "./routes/load.ts";
import { createMcpRoutes } from "./routes/mcp.ts";
import { createMessageRoutes } from "./routes/messages.ts";
import { createNoticeRoutes } from "./routes/notices.ts";
import { createNotificationRoutes } from "./routes/notifications.ts";
import { createObservationRoutes } from "./routes/observations.ts";
import { createOutcomeRoutes } from "./routes/outcomes.ts";
import { createPasskeyRoutes } from "./routes/passkeys.ts";
import { createPeopleRoutes } from "./routes/people.ts";
import { createPlanRoutes } from "./routes/plans.ts";
import { createPolicyRoutes } from "./routes/policy.ts";
import { createReceiptRoutes } from "./routes/receipts.ts";
import { createRevealRoutes } from "./routes/reveals.ts";
import { createSessionRoutes } from "./routes/sessions.ts";
import { createStatisticsRoutes } from "./routes/statistics.ts";
import { createTenantEventRoutes } from "./routes/tenant-events.ts";

/** Creates the HTTP application: the middleware of every request in order, then the routes. */
export function createApp(parts: RouteDeps) {
  const app = createRouter();
  app.onError((error, c) => toProblemResponse(toProblem(error), c.get("request")));
  app.notFound((c) =>
    toProblemResponse(
      new HttpProblem("not-found", "This path does not exist. See `/docs` for the API."),
      c.get("request"),
    ),
  );
  app.use((c, next) => {
    c.set("allowsPlainLogin", parts.allowsPlainLogin === true);
    return next();
  });
  app.use(logRequests(parts));
  app.use(securityHeaders);
  app.use(requireKnownHost(parts.host, parts.publicUrl));
  app.use(rejectZeroByte);
  app.use(requireSameOrigin);
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => toMethodNotAllowed(methods, c.get("request")),
    }),
  );

  app.get("/", (c) => {
    c.header("vary", "accept");
    const home = parts.consoleFiles ? "/console/" : "/approvals";
    return c.req.header("accept")?.includes("text/html") ? c.redirect(home, 303) : c.notFound();
  });
  const known = authenticate(parts);
  app.use("/v1/*", (c, next) => (isPublic(c.req.path) ? next() : known(c, next)));
  app.use("/v1/*", (c, next) => (isPublic(c.req.path) ? next() : requireScopes(c, next)));
  app.use("/v1/*", jsonBody);
  app.route("/", createCallRoutes(parts));
  app.route("/", createPlanRoutes(parts));
  app.route("/", createIntentRoutes(parts));
  app.route("/", createEventRoutes(parts));
  app.route("/", createTenantEventRoutes(parts));
  app.route("/", createApprovalRoutes(parts));
  app.route("/", createInboxRoutes(parts));
  app.route("/", createEditRoutes(parts));
  app.route("/", createRevealRoutes(parts));
  app.route("/", createCallActionRoutes(parts));
  app.route("/", createAgentExecutionRoutes(parts));
  app.route("/", createOutcomeRoutes(parts));
  app.route("/", createMessageRoutes(parts));
  app.route("/", createDelegationRoutes(parts));
  app.route("/", createNoticeRoutes(parts));
  app.route("/", createNotificationRoutes(parts));
  app.route("/", createReceiptRoutes(parts));
  app.route("/", createActivityRoutes(parts));
  app.route("/", createObservationRoutes(parts));
  app.route("/", createSessionRoutes(parts));
  app.route("/", createStatisticsRoutes(parts));
  app.route("/", createLoadRoutes(parts));
  app.route("/", createCapabilityRoutes(parts));
  app.route("/", createAdapterRoutes(parts));
  app.route("/", createPolicyRoutes(parts));
  app.route("/", createPeopleRoutes(parts));
  app.route("/", createPasskeyRoutes(parts));
  app.route("/", createAdministrationRoutes(parts));
  app.route("/", createHealthRoutes(parts));
  app.route("/", createMcpRoutes(parts));
  app.route("/", createLoginRoutes(parts));
  app.route("/", createAppFileRoutes());
  app.route("/", createInboundRoutes(parts));
  app.route("/", createSlackPageRoutes(parts));
  app.route("/", createConsoleRoutes(parts));
  app.route("/", createVerifyPageRoutes(parts));
  app.route("/", createNotificationPageRoutes(parts));
  app.route("/", createPasskeyPageRoutes(parts));
  app.route("/", createBulkPageRoutes(parts));
  app.route("/", createDecidedPageRoutes(parts));
  app.route("/", createApprovalPageRoutes(parts));
  app.route("/", createReferenceRoutes());
  return app;
}

/**
 * Returns whether the path needs no API key. Only the public keys that verify receipts have such a path, because every
 * client may read them.
 */
function isPublic(path: string): boolean {
  return path === "/v1/keys";
}

function toMethodNotAllowed(methods: readonly string[], request: string): Response {
  const allow = methods.join(", ");
  return toProblemResponse(
    new HttpProblem("method-not-allowed", `This path allows only ${allow}.`, { headers: { allow } }),
    request,
  );
}
