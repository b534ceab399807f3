// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The page's style sheet and script. Colours: vermillion for before and blue for after, which colour-blind readers tell
// apart; both are lighter in the dark.

#include "report_style.h"

const char* const report_css[] = {
    ":root{color-scheme:light dark;--bg:#f6f8fa;--card:#fff;--ink:#16202a;--soft:#5a6875;--line:#e1e6eb;"
    "--before:#d55e00;--after:#0072b2;--body:#8b98a5;--right:#5aa7d6;--wash:#fdf1e8;--good:#e9f3fa}",
    "@media(prefers-color-scheme:dark){:root{--bg:#0d1217;--card:#141b22;--ink:#e8eef3;--soft:#97a6b4;--line:#28323c;"
    "--before:#f0954a;--after:#56b4e9;--body:#6d7c8a;--right:#2f7fb0;--wash:#2a1e14;--good:#10222e}}",
    "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}",
    "body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,"
    "'Helvetica Neue',Arial,sans-serif;font-variant-numeric:tabular-nums}",
    "main{max-width:1180px;margin:0 auto;padding:clamp(20px,4vw,52px) clamp(14px,3vw,36px) 64px}",
    "header{margin-bottom:30px}.kicker{color:var(--soft);font-size:14px;margin:0 0 10px;overflow-wrap:anywhere}",
    ".kicker b{color:var(--ink);font-weight:600}",
    "h1{font-size:clamp(25px,3.6vw,38px);line-height:1.18;letter-spacing:-.015em;font-weight:660;margin:0 0 26px;"
    "max-width:26em;text-wrap:balance}",
    "h2{font-size:19px;letter-spacing:-.005em;font-weight:640;margin:0 0 3px}",
    "h3{font-size:15px;font-weight:640;margin:0;overflow-wrap:anywhere}",
    ".note{color:var(--soft);font-size:14px;margin:0 0 16px;max-width:72em}",
    "section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:clamp(16px,2.4vw,28px);"
    "margin:0 0 20px}",
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,225px),1fr));gap:1px;background:var(--"
    "line);"
    "border:1px solid var(--line);border-radius:14px;overflow:hidden}",
    ".tile{background:var(--card);padding:17px 20px 15px}.tile p{margin:0;color:var(--soft);font-size:13.5px}",
    ".tile .big{color:var(--ink);font-size:clamp(20px,4.4vw,27px);line-height:1.25;font-weight:640;"
    "letter-spacing:-.02em;"
    "margin:2px 0 1px}.big span,.big small{white-space:nowrap}",
    ".big .was{color:var(--before)}.big .arrow{color:var(--soft);font-weight:400;padding:0 .25em}"
    ".big .now{color:var(--after)}.big small{font-size:14px;font-weight:500;color:var(--soft);letter-spacing:0}",
    ".keys{display:flex;flex-wrap:wrap;gap:4px 20px;font-size:13.5px;color:var(--soft);margin:0 0 10px;padding:0;"
    "list-style:none}",
    ".keys i{display:inline-block;width:22px;height:0;border-top:3px solid;vertical-align:4px;margin-right:7px}",
    ".keys .b i{border-color:var(--before)}.keys .a i{border-color:var(--after)}",
    ".keys .d i{border:0;width:9px;height:9px;border-radius:50%;background:var(--ink);vertical-align:0}",
    ".pan{overflow:auto hidden}.pan svg{min-width:760px}",
    "svg{display:block;width:100%;height:auto;overflow:visible}path{fill:none;stroke-linejoin:round;"
    "stroke-linecap:round}",
    ".grid{stroke:var(--line);stroke-width:1}.ground{stroke:var(--soft);stroke-width:1.2}",
    ".bone{stroke-width:3.4}.ghost{stroke:var(--before);opacity:.5;stroke-width:2.2}.body{stroke:var(--body)}"
    ".leg{stroke-width:4.4}.ghost.leg{stroke-width:2.6}.left{stroke:var(--after)}.right{stroke:var(--right)}"
    ".planted{fill:var(--ink)}",
    ".before{stroke:var(--before)}.after{stroke:var(--after)}.curve{stroke-width:1.7}.thin{stroke-width:1.1;"
    "stroke-dasharray:3 3;opacity:.85}",
    ".trace{stroke-width:1.3;opacity:.6}.plant{stroke-width:6.5;opacity:.9}.plant.after{stroke-width:7}",
    ".scroll{overflow:auto hidden;overscroll-behavior-x:contain;-webkit-overflow-scrolling:touch}",
    ".foot{margin-top:26px;padding-top:22px;border-top:1px solid var(--line)}.foot:first-of-type{margin-top:8px}",
    ".foothead{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 20px;align-items:baseline;"
    "margin-bottom:8px}.read{font-size:13.5px;color:var(--soft);min-height:1.5em}.read b{font-weight:600}"
    ".read .b{color:var(--before)}.read .a{color:var(--after)}",
    ".wide{padding-left:46px;position:relative}.label{position:sticky;left:0;display:inline-block;font-size:12px;"
    "color:var(--soft);margin:0 0 5px -46px;line-height:1.3}",
    ".chart{position:relative;height:150px;margin-bottom:12px}.chart.low{height:96px}.chart.bands{height:68px;"
    "margin-bottom:2px}",
    ".chart svg{position:absolute;inset:0;height:100%;overflow:hidden}.chart path,.chart line{vector-effect:"
    "non-scaling-stroke}",
    ".ticks{position:sticky;left:0;width:42px;margin-left:-46px;height:100%;pointer-events:none;z-index:1;"
    "background:var(--card)}.ticks span{position:absolute;right:8px;transform:translateY(-50%);"
    "font-size:11.5px;line-height:1;color:var(--soft);white-space:nowrap}",
    ".span{stroke:none}.span.before{fill:var(--before)}.span.after{fill:var(--after)}.span.touch{opacity:.42}"
    ".shade{stroke:none;fill:var(--after);opacity:.1}",
    ".limit{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 4}",
    ".cursor{position:absolute;top:0;bottom:0;width:1px;background:var(--ink);opacity:.45;display:none;"
    "pointer-events:none}",
    ".times{position:relative;height:20px;font-size:11.5px;color:var(--soft)}.times span{position:absolute;"
    "transform:translateX(-50%)}.times span:first-child{transform:none}.times span:last-child{transform:"
    "translateX(-100%)}",
    ".tablewrap{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14.5px}",
    "th,td{text-align:right;padding:7px 10px;border-bottom:1px solid var(--line);white-space:nowrap}",
    "th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;min-width:15em}",
    "thead th{font-weight:600;color:var(--soft);font-size:13px}tbody th{padding-top:20px;font-weight:640}",
    "td.was{color:var(--before)}td.now{color:var(--after);font-weight:600}tr:last-child td{border-bottom:0}",
    "td.unit{color:var(--soft);text-align:left;padding-left:0;font-size:13px}",
    ".tall{max-height:440px;overflow:auto}.tall thead th{position:sticky;top:0;background:var(--card)}",
    ".misses td:nth-child(2),.misses td:last-child,.misses th:nth-child(2),.misses th:last-child{text-align:left}"
    ".misses td:first-child,.misses th:first-child{min-width:5em}",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:0;font-size:14.5px}dt{color:var(--soft)}"
    "dd{margin:0;overflow-wrap:anywhere}",
    "footer{color:var(--soft);font-size:13px;margin-top:26px}",
    "@media(max-width:560px){dl{grid-template-columns:1fr}dt{margin-top:6px}th,td{padding:6px 7px}}",
    "@media print{body{background:#fff}section,.tiles{break-inside:avoid}}",
};
const size_t report_css_count = sizeof report_css / sizeof report_css[0];

const char* const report_js[] = {
    "'use strict';(()=>{const data=JSON.parse(document.getElementById('data').textContent);",
    "const n=data.frames,m=data.feet.length?data.feet[0].v[0].length:0;if(!m||n<2)return;",
    "const feet=[...document.querySelectorAll('.foot')];",
    "const show=(x,t)=>t.toFixed(x);",
    "const draw=u=>{u=Math.min(1,Math.max(0,u));const k=Math.round(u*(m-1)),f=Math.round(k*(n-1)/(m-1));",
    "feet.forEach((el,i)=>{const d=data.feet[i];",
    "el.querySelectorAll('.cursor').forEach(c=>{c.style.display='block';c.style.left=(100*k/(m-1))+'%'});",
    "el.querySelector('.read').innerHTML=`frame <b>${f}</b>, ${show(3,f*data.dt)} s: toe speed <b class=b>"
    "${show(2,d.v[0][k]/1000)}</b> to <b class=a>${show(2,d.v[1][k]/1000)}</b> m/s, height <b class=b>"
    "${show(1,d.h[0][k]/10)}</b> to <b class=a>${show(1,d.h[1][k]/10)}</b> cm`})};",
    "const clear=()=>feet.forEach(el=>{el.querySelectorAll('.cursor').forEach(c=>c.style.display='none');"
    "el.querySelector('.read').textContent=''});",
    "document.querySelectorAll('.wide').forEach(w=>{w.addEventListener('pointermove',e=>{const r="
    "w.querySelector('.chart "
    "svg').getBoundingClientRect();draw((e.clientX-r.left)/r.width)});w.addEventListener('pointerleave',clear)});",
    "const bars=[...document.querySelectorAll('.scroll')];let busy=false;bars.forEach(b=>b.addEventListener('scroll',"
    "()=>{if(busy)return;busy=true;bars.forEach(o=>{if(o!==b)o.scrollLeft=b.scrollLeft});"
    "requestAnimationFrame(()=>busy=false)}));",
    "})();",
};
const size_t report_js_count = sizeof report_js / sizeof report_js[0];
