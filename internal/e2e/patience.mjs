/** A time limit: PATIENCE (ms) in place of this one where the network fails. */
export const patience = (ms) => Number(process.env.PATIENCE ?? ms);
