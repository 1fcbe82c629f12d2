// The script-tag snippet (MIT). It leaves a stand-in at window.analytics that keeps every call until the SDK has
// loaded, and `init` loads the SDK from the service. The SDK then takes over and runs what was kept.
// Written with semicolons, unlike the rest: scriptTag.mjs makes the one-line form by joining these lines.
((page, root) => {
  const stub = (page.analytics = page.analytics || []);
  // A running SDK, or this snippet a second time: both stay as they are.
  if (stub.__SV) return;
  const methods = 'capture identify register register_once unregister reset get_distinct_id alias set_config opt_in_capturing opt_out_capturing has_opted_in_capturing has_opted_out_capturing group setPersonProperties on getFeatureFlag isFeatureEnabled onFeatureFlags reloadFeatureFlags';
  const fill = (queue) => {
    for (const method of methods.split(' ')) queue[method] = (...call) => void queue.push([method, ...call]);
    return queue;
  };
  fill(stub).__SV = 1;
  stub._i = [];
  stub.init = (token, config, name) => {
    // A named instance has a queue of its own; all share one script, loaded from the first one's host.
    const queue = name && name !== 'analytics' ? (stub[name] = fill([])) : stub;
    if (stub._i.push([token, config, name]) === 1) {
      const host = ((config && config.api_host) || '').replace(/\/+$/, '');
      root.append(Object.assign(document.createElement('script'), { async: true, crossOrigin: 'anonymous', src: host + '/static/analytics.js' }));
    }
    return queue;
  };
})(window, document.head);
