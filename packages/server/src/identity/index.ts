export { createBearerAuthenticator } from "./bearer-authenticator.ts";
export { type IdentityConfig, identitySchema, type OidcConfig } from "./config.ts";
export { createIssuer } from "./issuer.ts";
export { createIssuerLoginFlow } from "./issuer-login.ts";
