/** The number of servers. With fifty tools each, they have a thousand tools. */
export const serverCount = 20;
