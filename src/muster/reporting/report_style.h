// The style sheet of a report; its colours are variables, with separate values for dark mode and for print.
// Any thread may read the constant.
#pragma once

namespace muster::reporting {

inline constexpr const char* kReportStyle = R"css(
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2933;--muted:#5b6876;--line:#e1e5ea;--card:#f6f8fa;
--c1:#0b5fa5;--c2:#23855c;--c3:#b04a10;--bad:#b3261e;--bad-paper:#fdecea}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6eaee;--muted:#9aa7b4;--line:#2c343d;--card:#1c2229;
--c1:#6cb2f2;--c2:#6fcf9f;--c3:#f0935a;--bad:#ff8a80;--bad-paper:#3a1d1b}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,sans-serif}
main{max-width:1000px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:26px;margin:0 0 2px}h2{font-size:19px;margin:38px 0 8px;padding-top:10px;border-top:1px solid var(--line)}
p{margin:8px 0}.muted{color:var(--muted)}code,.mono{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:13px}
.mono{overflow-wrap:anywhere}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;margin:18px 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
.card b{display:block;font-size:24px;font-weight:650;line-height:1.3}.card span{color:var(--muted);font-size:13px}
.flag{border-left:4px solid var(--c1);background:var(--card);padding:9px 14px;margin:14px 0}
.flag.bad{border-color:var(--bad);background:var(--bad-paper)}.flag.good{border-color:var(--c2)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:4px 14px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--muted);font-weight:600;font-size:13px}td.n,th.n{text-align:right}
ul{margin:6px 0;padding-left:22px}li{margin:4px 0}summary{cursor:pointer;color:var(--c1);margin:8px 0}
svg{max-width:100%;height:auto;display:block;margin:6px 0}
svg text{fill:var(--muted)}svg .ink{fill:var(--ink)}svg .grid{stroke:var(--line)}svg .axis{stroke:var(--muted)}
svg .c1{stroke:var(--c1)}svg .c2{stroke:var(--c2)}svg .c3{stroke:var(--c3)}
svg .c1-dot,svg .c1-area{fill:var(--c1)}svg .c2-dot,svg .c2-area{fill:var(--c2)}svg .c3-dot,svg .c3-area{fill:var(--c3)}
@media print{:root{--paper:#fff;--ink:#000;--muted:#444;--line:#ccc;--card:#fff;--c1:#0b5fa5;--c2:#23855c;--c3:#b04a10;
--bad:#b3261e;--bad-paper:#fff}main{max-width:none;padding:0}h2,.card,.flag{break-inside:avoid}svg,table{break-inside:avoid}}
)css";

}  // namespace muster::reporting
