export { authenticateBearer } from "./authenticate.ts";
export { checkedOidc, type IdentityConfig, type OidcConfig } from "./config.ts";
export { issuerFrom } from "./issuer.ts";
export { issuerLogin } from "./login.ts";
