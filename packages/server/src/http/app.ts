import { methodNotAllowed } from "hono/method-not-allowed";
import { loginRoutes } from "../web/routes/login.ts";
import { pageRoutes } from "../web/routes/pages.ts";
import { workPageRoutes } from "../web/routes/work-pages.ts";
import { type Parts, router } from "./context.ts";
import { referenceRoutes } from "./docs/routes.ts";
import { authenticate } from "./middleware/authenticate.ts";
import { jsonBody } from "./middleware/json-body.ts";
import { requestLog } from "./middleware/request-log.ts";
import { sameOrigin } from "./middleware/same-origin.ts";
import { scoped } from "./middleware/scopes.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { Problem, problemOf, problemResponse } from "./problem.ts";
import { activityRoutes } from "./routes/activity.ts";
import { adapterRoutes } from "./routes/adapters.ts";
import { administrationRoutes } from "./routes/administration.ts";
import { takingRoutes } from "./routes/agent-execution.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { handlingRoutes } from "./routes/call-actions.ts";
import { callRoutes } from "./routes/calls.ts";
import { capabilityRoutes } from "./routes/capabilities.ts";
import { delegationRoutes } from "./routes/delegations.ts";
import { eventRoutes } from "./routes/events.ts";
import { healthRoutes } from "./routes/health.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { messageRoutes } from "./routes/messages.ts";
import { observationRoutes } from "./routes/observations.ts";
import { outcomeRoutes } from "./routes/outcomes.ts";
import { peopleRoutes } from "./routes/people.ts";
import { planRoutes } from "./routes/plans.ts";
import { policyRoutes } from "./routes/policy.ts";
import { receiptRoutes } from "./routes/receipts.ts";
import { statisticsRoutes } from "./routes/statistics.ts";

/** What every request passes, in order; then the operations. */
export function createApp(parts: Parts) {
  const app = router();
  app.onError((error, c) => problemResponse(problemOf(error), c.get("request")));
  app.notFound((c) =>
    problemResponse(
      new Problem("not-found", "Nothing is here: `/docs` shows what there is."),
      c.get("request"),
    ),
  );
  app.use(requestLog(parts));
  app.use(securityHeaders);
  app.use(sameOrigin);
  app.use(
    methodNotAllowed({ app, onMethodNotAllowed: (c, methods) => wrongMethod(methods, c.get("request")) }),
  );

  const known = authenticate(parts);
  app.use("/v1/*", (c, next) => (isPublic(c.req.path) ? next() : known(c, next)));
  app.use("/v1/*", (c, next) => (isPublic(c.req.path) ? next() : scoped(c, next)));
  app.use("/v1/*", jsonBody);
  app.route("/", callRoutes(parts));
  app.route("/", planRoutes(parts));
  app.route("/", eventRoutes(parts));
  app.route("/", approvalRoutes(parts));
  app.route("/", handlingRoutes(parts));
  app.route("/", takingRoutes(parts));
  app.route("/", outcomeRoutes(parts));
  app.route("/", messageRoutes(parts));
  app.route("/", delegationRoutes(parts));
  app.route("/", receiptRoutes(parts));
  app.route("/", activityRoutes(parts));
  app.route("/", observationRoutes(parts));
  app.route("/", statisticsRoutes(parts));
  app.route("/", capabilityRoutes(parts));
  app.route("/", adapterRoutes(parts));
  app.route("/", policyRoutes(parts));
  app.route("/", peopleRoutes(parts));
  app.route("/", administrationRoutes(parts));
  app.route("/", healthRoutes(parts));
  app.route("/", mcpRoutes(parts));
  app.route("/", loginRoutes(parts));
  app.route("/", workPageRoutes(parts));
  app.route("/", pageRoutes(parts));
  app.route("/", referenceRoutes());
  return app;
}

/** What receipts verify with is for everybody. */
function isPublic(path: string): boolean {
  return path === "/v1/keys";
}

function wrongMethod(methods: readonly string[], request: string): Response {
  const allow = methods.join(", ");
  return problemResponse(
    new Problem("method-not-allowed", `Here only ${allow}.`, { headers: { allow } }),
    request,
  );
}
