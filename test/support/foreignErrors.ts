const json = (value: unknown): string => JSON.stringify(value)
const html = (title: string): string =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`
const message = (text: string) => json({ message: text })
const problem = (status: number, title: string) =>
  json({
    type: `https://tools.ietf.org/html/rfc9110#status.${status}`,
    title,
    status,
    detail: title,
    traceId: '00-1-2-00',
  })

/** Errors of servers between the page and the service, or in its place, by the server: a body for each status. */
const ERRORS: Record<string, Record<number, string>> = {
  Traefik: {
    400: 'Bad Request',
    401: '401 Unauthorized\n',
    403: 'Forbidden',
    404: '404 page not found\n',
    405: 'Method Not Allowed',
    413: 'Request Entity Too Large',
    429: 'Too Many Requests',
    499: 'Client Closed Request',
    502: 'Bad Gateway',
    503: 'no available server\n',
    504: 'Gateway Timeout',
  },
  Kong: {
    400: message('Bad request'),
    401: json({ message: 'No API key found in request', request_id: '1' }),
    403: message('Your IP address is not allowed: 1.2.3.4'),
    404: json({ message: 'no Route matched with those values', request_id: '1' }),
    413: message('Request size limit exceeded'),
    414: message('URI too long'),
    415: message('Unsupported media type'),
    429: message('API rate limit exceeded'),
    503: message('failure to get a peer from the ring-balancer'),
  },
  'AWS API Gateway': {
    400: message('Bad Request'),
    401: message('Unauthorized'),
    403: message('Missing Authentication Token'),
    404: message('Not Found'),
    405: message('Method Not Allowed'),
    413: message('Request Too Long'),
    415: message('Unsupported Media Type'),
    429: json({ message: null }),
    504: message('Endpoint request timed out'),
  },
  'AWS ALB': {
    400: html('400 Bad Request'),
    401: html('401 Authorization Required'),
    403: html('403 Forbidden'),
    404: '',
    413: html('413 Request Entity Too Large'),
    414: html('414 Request-URI Too Large'),
    460: '',
    463: html('463'),
    503: html('503 Service Temporarily Unavailable'),
    561: html('561 Authentication Error'),
  },
  CloudFront: {
    400: '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><HTML><H1>400 ERROR</H1><H2>The request could not be satisfied.</H2></HTML>',
    403: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
    405: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>MethodNotAllowed</Code></Error>',
    413: html('413 ERROR'),
  },
  Cloudflare: {
    400: html('400 Bad Request'),
    403: 'error code: 1020',
    404: 'error code: 1001',
    409: 'error code: 1001',
    413: html('413 Payload Too Large'),
    415: html('415 Unsupported Media Type'),
    429: 'error code: 1015',
    451: html('Error 451: Unavailable For Legal Reasons'),
    522: 'error code: 522',
    530: problem(530, 'Error 1033: Cloudflare Tunnel error'),
  },
  nginx: {
    400: html('400 Bad Request'),
    401: html('401 Authorization Required'),
    403: html('403 Forbidden'),
    404: html('404 Not Found'),
    405: html('405 Not Allowed'),
    413: html('413 Request Entity Too Large'),
    414: html('414 Request-URI Too Large'),
    415: html('415 Unsupported Media Type'),
    429: html('429 Too Many Requests'),
    494: html('400 Request Header Or Cookie Too Large'),
    499: '',
    502: html('502 Bad Gateway'),
  },
  'Envoy and Istio': {
    400: 'Bad Request',
    401: 'Jwt is missing',
    403: 'RBAC: access denied',
    404: '',
    413: 'Payload Too Large',
    415: '',
    426: '',
    429: 'local_rate_limited',
    503: 'upstream connect error or disconnect/reset before headers. reset reason: connection failure',
    504: 'upstream request timeout',
  },
  Varnish: {
    403: '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html><html><head><title>403 Forbidden</title></head></html>',
    405: 'Method Not Allowed',
    503: '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html><html><body>Guru Meditation:</body></html>',
  },
  'IIS and ASP.NET': {
    400: problem(400, 'Bad Request'),
    401: 'You do not have permission to view this directory or page.',
    403: 'You do not have permission to view this directory or page.',
    404: 'The resource you are looking for has been removed, had its name changed, or is temporarily unavailable.',
    405: 'The page you are looking for cannot be displayed because an invalid method (HTTP verb) is being used.',
    413: 'The page was not displayed because the request entity is too large.',
    415: problem(415, 'Unsupported Media Type'),
    503: html('Service Unavailable'),
  },
  HAProxy: {
    400: '<html><body><h1>400 Bad request</h1>\nYour browser sent an invalid request.\n</body></html>\n',
    403: '<html><body><h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.\n</body></html>\n',
    405: '<html><body><h1>405 Method Not Allowed</h1></body></html>\n',
    413: '<html><body><h1>413 Payload Too Large</h1></body></html>\n',
    429: '<html><body><h1>429 Too Many Requests</h1></body></html>\n',
    503: '<html><body><h1>503 Service Unavailable</h1></body></html>\n',
  },
  Akamai: {
    400: '<HTML><HEAD>\n<TITLE>Invalid URL</TITLE>\n</HEAD><BODY>Reference&#32;&#35;9&#46;1</BODY></HTML>\n',
    403: "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>You don't have permission to access</BODY></HTML>\n",
    413: '<HTML><HEAD>\n<TITLE>Request Entity Too Large</TITLE></HEAD></HTML>',
    451: json({
      type: 'https://problems.example/geo',
      title: 'Blocked',
      status: 451,
      detail: 'Not here',
      instance: '/1',
    }),
  },
  'Google Cloud and Azure': {
    400: json({ error: { code: 400, message: 'Invalid JSON payload received.', status: 'INVALID_ARGUMENT' } }),
    401: json({ statusCode: 401, message: 'Access denied due to missing subscription key.' }),
    403: json({ error: { code: 403, message: 'Permission denied', status: 'PERMISSION_DENIED' } }),
    404: json({ statusCode: 404, message: 'Resource not found' }),
    415: json({ error: { code: 'UnsupportedMediaType', message: 'No.' } }),
  },
  'a server of an application': {
    // Spring, Fastify, Django REST framework, Next.js, Laravel, Rails.
    400: json({ timestamp: '2026-11-21T10:00:00Z', status: 400, error: 'Bad Request', path: '/e/' }),
    401: json({ detail: 'Authentication credentials were not provided.' }),
    403: json({ detail: 'CSRF Failed', code: 'permission_denied' }),
    404: json({ message: 'Route POST:/e/ not found', error: 'Not Found', statusCode: 404 }),
    405: json({ detail: 'Method "POST" not allowed.' }),
    415: json({ detail: 'Unsupported media type "text/plain" in request.' }),
    419: json({ message: 'CSRF token mismatch.' }),
    422: json({ status: 422, error: 'Unprocessable Entity' }),
    500: json({ type: 'server_error', code: 'internal_error', detail: 'Internal error.', attr: null }),
  },
  'something that returns other JSON': {
    400: 'null',
    401: '"Unauthorized"',
    403: '[]',
    404: '0',
    410: 'true',
    418: '{}',
    421: json({ type: 'invalid_request' }),
    422: json({ type: ['validation_error'], code: 400, detail: 'no' }),
  },
}

/** Errors of servers between the page and the service. None of them means that the service has rejected the events. */
export const FOREIGN_ERRORS: readonly (readonly [server: string, status: number, body: string])[] = Object.entries(
  ERRORS,
).flatMap(([server, bodies]) => Object.entries(bodies).map(([status, body]) => [server, Number(status), body] as const))

/** An error of this service, and of PostHog: it has rejected the events. */
export const REFUSAL = {
  type: 'validation_error',
  code: 'invalid_input',
  detail: 'The request is invalid.',
  attr: null,
}
