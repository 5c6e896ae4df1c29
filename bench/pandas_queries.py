# SPDX-License-Identifier: Apache-2.0
"""The warehouse queries as a user of pandas would write them: dimensions are filtered before they are joined."""


def star(t, date=None, customer=None, supplier=None, part=None, line=None):
    """lineorder joined with the given (already filtered) dimensions, columns reduced before."""
    lo = t['lineorder'] if line is None else line
    for dimension, left, right in ((part, 'lo_partkey', 'p_partkey'), (supplier, 'lo_suppkey', 's_suppkey'),
                                   (customer, 'lo_custkey', 'c_custkey'), (date, 'lo_orderdate', 'd_datekey')):
        if dimension is not None:
            lo = lo.merge(dimension, left_on=left, right_on=right)
    return lo


def revenue_of_discounts(t, date, low, high, quantity):
    lo = t['lineorder']
    lo = lo[lo.lo_discount.between(low, high) & quantity(lo.lo_quantity)]
    lo = lo[['lo_orderdate', 'lo_extendedprice', 'lo_discount']].merge(
        date[['d_datekey']], left_on='lo_orderdate', right_on='d_datekey')
    return (lo.lo_extendedprice * lo.lo_discount).sum()


def q2(t, part, region):
    s = t['supplier']
    lines = t['lineorder'][['lo_orderdate', 'lo_partkey', 'lo_suppkey', 'lo_revenue']]
    j = star(t, t['date'][['d_datekey', 'd_year']], None, s[s.s_region == region][['s_suppkey']],
             part[['p_partkey', 'p_brand1']], lines)
    return j.groupby(['d_year', 'p_brand1']).lo_revenue.sum().reset_index()


def q3(t, customer, supplier, date, column):
    lines = t['lineorder'][['lo_orderdate', 'lo_custkey', 'lo_suppkey', 'lo_revenue']]
    j = star(t, date[['d_datekey', 'd_year']], customer[['c_custkey', f'c_{column}']],
             supplier[['s_suppkey', f's_{column}']], None, lines)
    g = j.groupby([f'c_{column}', f's_{column}', 'd_year']).lo_revenue.sum().reset_index()
    return g.sort_values(['d_year', 'lo_revenue'], ascending=[True, False])


def years(t):
    d = t['date']
    return d[(d.d_year >= 1992) & (d.d_year <= 1997)]


def profit(t, date, customer, supplier, part, keys):
    lines = t['lineorder'][['lo_orderdate', 'lo_custkey', 'lo_suppkey', 'lo_partkey', 'lo_revenue', 'lo_supplycost']]
    j = star(t, date, customer, supplier, part, lines)
    j['profit'] = j.lo_revenue - j.lo_supplycost
    return j.groupby(keys).profit.sum().reset_index()


def q33(t, date):
    c, s, cities = t['customer'], t['supplier'], ['UNITED KI1', 'UNITED KI5']
    return q3(t, c[c.c_city.isin(cities)], s[s.s_city.isin(cities)], date, 'city')


def q41(t):
    c, s, p = t['customer'], t['supplier'], t['part']
    return profit(t, t['date'][['d_datekey', 'd_year']], c[c.c_region == 'AMERICA'][['c_custkey', 'c_nation']],
                  s[s.s_region == 'AMERICA'][['s_suppkey']], p[p.p_mfgr.isin(['MFGR#1', 'MFGR#2'])][['p_partkey']],
                  ['d_year', 'c_nation'])


def q42(t):
    c, s, p, d = t['customer'], t['supplier'], t['part'], t['date']
    return profit(t, d[d.d_year.isin([1997, 1998])][['d_datekey', 'd_year']],
                  c[c.c_region == 'AMERICA'][['c_custkey']], s[s.s_region == 'AMERICA'][['s_suppkey', 's_nation']],
                  p[p.p_mfgr.isin(['MFGR#1', 'MFGR#2'])][['p_partkey', 'p_category']],
                  ['d_year', 's_nation', 'p_category'])


def q43(t):
    s, p, d = t['supplier'], t['part'], t['date']
    return profit(t, d[d.d_year.isin([1997, 1998])][['d_datekey', 'd_year']], None,
                  s[s.s_nation == 'UNITED STATES'][['s_suppkey', 's_city']],
                  p[p.p_category == 'MFGR#14'][['p_partkey', 'p_brand1']], ['d_year', 's_city', 'p_brand1'])


def h1(t):
    l = t['lineitem']
    l = l[l.l_shipdate <= '1998-09-02'][['l_returnflag', 'l_linestatus', 'l_quantity', 'l_extendedprice', 'l_discount',
                                         'l_tax']].copy()
    l['disc_price'] = l.l_extendedprice * (1 - l.l_discount)
    l['charge'] = l.disc_price * (1 + l.l_tax)
    return l.groupby(['l_returnflag', 'l_linestatus']).agg(
        a=('l_quantity', 'sum'), b=('l_extendedprice', 'sum'), c=('disc_price', 'sum'), d=('charge', 'sum'),
        e=('l_quantity', 'mean'), f=('l_extendedprice', 'mean'), g=('l_discount', 'mean'), h=('l_quantity', 'size'))


def h3(t):
    c, o, l = t['customer'], t['orders'], t['lineitem']
    o = o[o.o_orderdate < '1995-03-15'][['o_orderkey', 'o_custkey', 'o_orderdate', 'o_shippriority']]
    o = o.merge(c[c.c_mktsegment == 'BUILDING'][['c_custkey']], left_on='o_custkey', right_on='c_custkey')
    l = l[l.l_shipdate > '1995-03-15'][['l_orderkey', 'l_extendedprice', 'l_discount']]
    j = l.merge(o, left_on='l_orderkey', right_on='o_orderkey')
    j['revenue'] = j.l_extendedprice * (1 - j.l_discount)
    g = j.groupby(['l_orderkey', 'o_orderdate', 'o_shippriority']).revenue.sum().reset_index()
    return g.sort_values(['revenue', 'o_orderdate'], ascending=[False, True]).head(10)


def h5(t):
    r, n, s, c, o, l = (t[x] for x in ('region', 'nation', 'supplier', 'customer', 'orders', 'lineitem'))
    n = n.merge(r[r.r_name == 'ASIA'], left_on='n_regionkey', right_on='r_regionkey')[['n_nationkey', 'n_name']]
    s = s[['s_suppkey', 's_nationkey']].merge(n, left_on='s_nationkey', right_on='n_nationkey')
    o = o[(o.o_orderdate >= '1994-01-01') & (o.o_orderdate < '1995-01-01')][['o_orderkey', 'o_custkey']]
    o = o.merge(c[['c_custkey', 'c_nationkey']], left_on='o_custkey', right_on='c_custkey')
    j = l[['l_orderkey', 'l_suppkey', 'l_extendedprice', 'l_discount']].merge(o, left_on='l_orderkey',
                                                                            right_on='o_orderkey')
    j = j.merge(s, left_on=['l_suppkey', 'c_nationkey'], right_on=['s_suppkey', 's_nationkey'])
    j['revenue'] = j.l_extendedprice * (1 - j.l_discount)
    return j.groupby('n_name').revenue.sum().reset_index().sort_values('revenue', ascending=False)


def h6(t):
    l = t['lineitem']
    l = l[(l.l_shipdate >= '1994-01-01') & (l.l_shipdate < '1995-01-01') & l.l_discount.between(0.05, 0.07)
          & (l.l_quantity < 24)]
    return (l.l_extendedprice * l.l_discount).sum()


def h10(t):
    n, c, o, l = (t[x] for x in ('nation', 'customer', 'orders', 'lineitem'))
    o = o[(o.o_orderdate >= '1993-10-01') & (o.o_orderdate < '1994-01-01')][['o_orderkey', 'o_custkey']]
    l = l[l.l_returnflag == 'R'][['l_orderkey', 'l_extendedprice', 'l_discount']]
    j = l.merge(o, left_on='l_orderkey', right_on='o_orderkey').merge(c, left_on='o_custkey', right_on='c_custkey')
    j = j.merge(n, left_on='c_nationkey', right_on='n_nationkey')
    j['revenue'] = j.l_extendedprice * (1 - j.l_discount)
    g = j.groupby(['c_custkey', 'c_name', 'c_acctbal', 'c_phone', 'n_name', 'c_address', 'c_comment']).revenue.sum()
    return g.reset_index().sort_values('revenue', ascending=False).head(20)


def h12(t):
    o, l = t['orders'], t['lineitem']
    l = l[l.l_shipmode.isin(['MAIL', 'SHIP']) & (l.l_commitdate < l.l_receiptdate) & (l.l_shipdate < l.l_commitdate)
          & (l.l_receiptdate >= '1994-01-01') & (l.l_receiptdate < '1995-01-01')][['l_orderkey', 'l_shipmode']]
    j = l.merge(o[['o_orderkey', 'o_orderpriority']], left_on='l_orderkey', right_on='o_orderkey')
    high = j.o_orderpriority.isin(['1-URGENT', '2-HIGH'])
    j['high'], j['low'] = high.astype('int64'), (~high).astype('int64')
    return j.groupby('l_shipmode')[['high', 'low']].sum()


def h14(t):
    l, p = t['lineitem'], t['part']
    l = l[(l.l_shipdate >= '1995-09-01') & (l.l_shipdate < '1995-10-01')][['l_partkey', 'l_extendedprice', 'l_discount']]
    j = l.merge(p[['p_partkey', 'p_type']], left_on='l_partkey', right_on='p_partkey')
    revenue = j.l_extendedprice * (1 - j.l_discount)
    return 100 * revenue[j.p_type.str.startswith('PROMO')].sum() / revenue.sum()


def of(frame, condition):
    return frame[condition(frame)]


FUNCTIONS = {
    'Q1.1': lambda t: revenue_of_discounts(t, of(t['date'], lambda d: d.d_year == 1993), 1, 3, lambda q: q < 25),
    'Q1.2': lambda t: revenue_of_discounts(t, of(t['date'], lambda d: d.d_yearmonthnum == 199401), 4, 6,
                                           lambda q: q.between(26, 35)),
    'Q1.3': lambda t: revenue_of_discounts(t, of(t['date'], lambda d: (d.d_weeknuminyear == 6) & (d.d_year == 1994)), 5, 7,
                                           lambda q: q.between(26, 35)),
    'Q2.1': lambda t: q2(t, of(t['part'], lambda p: p.p_category == 'MFGR#12'), 'AMERICA'),
    'Q2.2': lambda t: q2(t, of(t['part'], lambda p: (p.p_brand1 >= 'MFGR#2221') & (p.p_brand1 <= 'MFGR#2228')), 'ASIA'),
    'Q2.3': lambda t: q2(t, of(t['part'], lambda p: p.p_brand1 == 'MFGR#2221'), 'EUROPE'),
    'Q3.1': lambda t: q3(t, of(t['customer'], lambda c: c.c_region == 'ASIA'),
                         of(t['supplier'], lambda s: s.s_region == 'ASIA'), years(t), 'nation'),
    'Q3.2': lambda t: q3(t, of(t['customer'], lambda c: c.c_nation == 'UNITED STATES'),
                         of(t['supplier'], lambda s: s.s_nation == 'UNITED STATES'), years(t), 'city'),
    'Q3.3': lambda t: q33(t, years(t)),
    'Q3.4': lambda t: q33(t, of(t['date'], lambda d: d.d_yearmonth == 'Dec1997')),
    'Q4.1': q41, 'Q4.2': q42, 'Q4.3': q43,
    'H1': h1, 'H3': h3, 'H5': h5, 'H6': h6, 'H10': h10, 'H12': h12, 'H14': h14,
}
