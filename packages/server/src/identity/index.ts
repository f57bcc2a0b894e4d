export { authenticateBearer } from "./authenticate.ts";
export { type IdentityConfig, identitySchema, type OidcConfig } from "./config.ts";
export { issuerFrom } from "./issuer.ts";
export { issuerLogin } from "./login.ts";
