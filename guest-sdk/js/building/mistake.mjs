/** What the author has to put right. One sentence: where it is, what it is, and what to do. */
export class Mistake extends Error {}
