export const stylesheet = "";
