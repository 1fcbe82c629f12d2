// The script-tag snippet (MIT). It puts a stub at window.analytics and window.trailmark that queues every call until the
// SDK has loaded, and `init` loads the SDK from the service. The SDK then takes over and replays the calls.
// It has semicolons because scriptTag.mjs creates the one-line form by joining these lines.
((page, tag) => {
  const chosen = (tag && tag.dataset.global) || 'analytics';
  // Own properties only: an element with this id is at window.analytics too.
  const held = (name) => page.hasOwnProperty(name) && page[name];
  // A running SDK, or this snippet a second time: leave it alone.
  const found = held('trailmark');
  if (found && found.__SV) return found;
  const queues = [], inits = [];
  let failed, from = 'analytics.js';
  // After a failed load: callbacks receive no flags and no surveys.
  const refuse = ([path, ...args]) => /(^|\.)on(SessionId)?$/.test(path) || args.forEach((each) => typeof each === 'function' && setTimeout(each, 0, ...(/(Flags|Features|Surveys\w*)$/.test(path) ? [[], {}, { errorsLoading: true }] : [])));
  const fail = () => { if (!queues[0].calls._live) { failed = 1; queues.forEach(({ calls }) => calls.splice(0).forEach(refuse)); console.error(`[trailmark] ${from} is not the SDK or was blocked: check api_host (https://...) and the Content-Security-Policy of this page`); } };
  // Names that are not methods: values, and what other code looks for in any object.
  const isValue = (name) => typeof name !== 'string' || /^(_|then$|toJSON|version|initialize|invoked)|WasHit$|^hasLoaded/.test(name);
  // A method that queues its calls, and an object of such methods: people.set.
  const method = (queue, path) => new Proxy((...args) => {
    // The event has this time and URL.
    const call = Object.assign([path, ...args], { time: Date.now(), url: location.href });
    failed ? refuse(call) : queue.calls.push(call);
    if (/(^|\.)on/.test(path)) return () => { call.stop ? call.stop() : (call.length = 0); };
    if (/Async$|^shutdown/.test(path)) return Promise.resolve({});
    return /_id$|_url$/.test(path) ? '' : /getAll|explain|getFlags$/.test(path) ? [] : /^(getGroups|drops|calc)|getFlag[sVP]|canRender|checkAnd/.test(path) ? {} : undefined;
  }, { get: (self, name) => (isValue(name) || name in self ? self[name] : method(queue, `${path}.${name}`)) });
  const stubOf = (queue, calls) => new Proxy((queue.calls = calls), {
    get: (_, name) => (calls._live ? calls._live[name] : calls !== queue.calls || isValue(name) || name in calls ? calls[name] : method(queue, name)),
    // Another library uses this as its own array. It gets the array, and our calls move.
    set: (_, name, value) => {
      if (calls === queue.calls && /^(invoked|methods|factory|track)$/.test(name)) {
        page.trailmark = stubOf(queue, Object.assign([], calls));
        for (const key of Object.keys(calls)) delete calls[key];
        calls.length = 0;
      }
      calls[name] = value;
      return true;
    },
  });
  const add = () => { queues.push({}); return stubOf(queues[queues.length - 1], []); };
  const stub = (page.trailmark = add());
  if (!held(chosen)) page[chosen] = stub;
  return Object.assign(stub, { __SV: 1, _i: inits, config: {}, init: (token, config, name) => {
    // A named instance has its own queue; all share one script, loaded from the first one's host.
    const queue = name && name !== 'analytics' ? (queues[0].calls[name] = add()) : stub;
    if (inits.push([token, config, name]) > 1) return queue;
    const url = (file) => `${((config && config.api_host) || '').replace(/\/+$/, '')}/static/${file}.js`;
    try {
      const policy = page.trustedTypes && page.trustedTypes.createPolicy('trailmark', { createScriptURL: url });
      const script = Object.assign(document.createElement('script'), { async: true, crossOrigin: 'anonymous', nonce: (tag && tag.nonce) || '', policy, onload: fail, onerror: fail, src: policy ? policy.createScriptURL('analytics') : url('analytics') });
      script.dataset.global = chosen;
      from = script.src;
      document.head.append(script);
    } catch (error) { console.error('[trailmark] The SDK could not be loaded', error); fail(); }
    return queue;
  } });
})(window, document.currentScript)
