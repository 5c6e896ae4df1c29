# SPDX-License-Identifier: Apache-2.0
"""The queries of the Star Schema Benchmark, and those of TPC-H that need no correlated subquery; dates are ISO strings.

Every query runs unchanged on Daphne and SQLite. Ratios are computed outside of sums, as both divide alike there.
"""

SSB_TABLES = ['date', 'customer', 'supplier', 'part', 'lineorder']
TPCH_TABLES = ['region', 'nation', 'supplier', 'customer', 'part', 'orders', 'lineitem']

SSB = {
    'Q1.1': """SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, date
               WHERE lo_orderdate = d_datekey AND d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25""",
    'Q1.2': """SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, date
               WHERE lo_orderdate = d_datekey AND d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6
               AND lo_quantity BETWEEN 26 AND 35""",
    'Q1.3': """SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, date
               WHERE lo_orderdate = d_datekey AND d_weeknuminyear = 6 AND d_year = 1994
               AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35""",
    'Q2.1': """SELECT sum(lo_revenue) AS revenue, d_year, p_brand1 FROM lineorder, date, part, supplier
               WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
               AND p_category = 'MFGR#12' AND s_region = 'AMERICA'
               GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1""",
    'Q2.2': """SELECT sum(lo_revenue) AS revenue, d_year, p_brand1 FROM lineorder, date, part, supplier
               WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
               AND p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'
               GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1""",
    'Q2.3': """SELECT sum(lo_revenue) AS revenue, d_year, p_brand1 FROM lineorder, date, part, supplier
               WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
               AND p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'
               GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1""",
    'Q3.1': """SELECT c_nation, s_nation, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, date
               WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
               AND c_region = 'ASIA' AND s_region = 'ASIA' AND d_year >= 1992 AND d_year <= 1997
               GROUP BY c_nation, s_nation, d_year ORDER BY d_year ASC, revenue DESC""",
    'Q3.2': """SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, date
               WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
               AND c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND d_year >= 1992 AND d_year <= 1997
               GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC""",
    'Q3.3': """SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, date
               WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
               AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5') AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
               AND d_year >= 1992 AND d_year <= 1997
               GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC""",
    'Q3.4': """SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, date
               WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
               AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5') AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
               AND d_yearmonth = 'Dec1997'
               GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC""",
    'Q4.1': """SELECT d_year, c_nation, sum(lo_revenue - lo_supplycost) AS profit
               FROM date, customer, supplier, part, lineorder
               WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey
               AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_region = 'AMERICA'
               AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
               GROUP BY d_year, c_nation ORDER BY d_year, c_nation""",
    'Q4.2': """SELECT d_year, s_nation, p_category, sum(lo_revenue - lo_supplycost) AS profit
               FROM date, customer, supplier, part, lineorder
               WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey
               AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_region = 'AMERICA'
               AND (d_year = 1997 OR d_year = 1998) AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
               GROUP BY d_year, s_nation, p_category ORDER BY d_year, s_nation, p_category""",
    'Q4.3': """SELECT d_year, s_city, p_brand1, sum(lo_revenue - lo_supplycost) AS profit
               FROM date, customer, supplier, part, lineorder
               WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey
               AND lo_orderdate = d_datekey AND s_nation = 'UNITED STATES'
               AND (d_year = 1997 OR d_year = 1998) AND p_category = 'MFGR#14'
               GROUP BY d_year, s_city, p_brand1 ORDER BY d_year, s_city, p_brand1""",
}

TPCH = {
    'H1': """SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
             sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
             sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
             avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc,
             count(*) AS count_order
             FROM lineitem WHERE l_shipdate <= '1998-09-02'
             GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    'H3': """SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
             FROM customer, orders, lineitem
             WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
             AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15'
             GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10""",
    'H5': """SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
             FROM customer, orders, lineitem, supplier, nation, region
             WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
             AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
             AND r_name = 'ASIA' AND o_orderdate >= '1994-01-01' AND o_orderdate < '1995-01-01'
             GROUP BY n_name ORDER BY revenue DESC""",
    'H6': """SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
             WHERE l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'
             AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
    'H10': """SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name, c_address,
              c_phone, c_comment FROM customer, orders, lineitem, nation
              WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= '1993-10-01'
              AND o_orderdate < '1994-01-01' AND l_returnflag = 'R' AND c_nationkey = n_nationkey
              GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
              ORDER BY revenue DESC LIMIT 20""",
    'H12': """SELECT l_shipmode,
              sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high,
              sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low
              FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP')
              AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
              AND l_receiptdate >= '1994-01-01' AND l_receiptdate < '1995-01-01'
              GROUP BY l_shipmode ORDER BY l_shipmode""",
    'H14': """SELECT 100.0 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0.0 END)
              / sum(l_extendedprice * (1 - l_discount)) AS promo_revenue
              FROM lineitem, part WHERE l_partkey = p_partkey
              AND l_shipdate >= '1995-09-01' AND l_shipdate < '1995-10-01'""",
}
