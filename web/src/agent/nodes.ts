// Node ids: nodeId and backendNodeId are one number, counted per document.
// Signatures shared by the domains.

/** The id of a node, minted when first asked for. The table keeps no node alive. */
export declare function idOfNode(node: Node): number;

/** The node with this id; throws "No node with given id found" or "Could not find node with given id" as Chromium words it. */
export declare function nodeOfId(id: number): Node;

/** The node that params name by nodeId, backendNodeId or objectId. */
export declare function nodeOfParams(params: { nodeId?: number; backendNodeId?: number; objectId?: string }): Node;
