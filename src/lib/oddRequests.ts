/** The members of a response that are used. */
export type Reply = Pick<Response, 'status' | 'redirected' | 'text'> & { headers: Pick<Headers, 'get'> }

/** What requests need on few pages: the extension `requests`. */
export interface OddRequests {
  /** Sends a request by XMLHttpRequest, for pages that have removed or replaced `fetch`. */
  sendByXhr(url: string, init: RequestInit): Promise<Reply>
  /** Returns the site's options and headers that `fetch` accepts, and reports each rejected one once. */
  accepted(url: string, options: RequestInit, report: (message: string) => void): RequestInit
}
